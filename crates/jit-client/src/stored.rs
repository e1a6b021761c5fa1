//! Results of other compilers in the cache: device images that were compiled from source text.

use std::fmt;

use scythe_hal::Result;

use crate::cache::{Cache, Key};

/// The place of a result in the cache of this process.
pub struct Stored {
    cache: &'static Cache,
    key: Key,
}

impl Stored {
    /// Returns the place of the result that the fields determine. Different purposes are different
    /// results. Returns `None` if there is no cache.
    pub fn find(purpose: &str, fields: &[&[u8]]) -> Result<Option<Self>> {
        let cache = Cache::of_process()?;
        Ok(cache.map(|cache| Self { cache, key: Key::of_fields(purpose, fields) }))
    }

    /// Returns a text that identifies the result.
    pub fn name(&self) -> String {
        self.key.to_string()
    }

    /// Returns the result, if it is stored.
    pub fn get(&self) -> Option<Vec<u8>> {
        self.cache.get(&self.key).map(|entry| entry.object().to_vec())
    }

    /// Stores the result. If this fails, later processes compile again.
    pub fn put(&self, result: &[u8]) {
        self.cache.put(&self.key, None, result);
    }

    /// Removes a result that cannot be used.
    pub fn discard(&self, reason: &dyn fmt::Display) {
        self.cache.discard(&self.key, reason);
    }
}

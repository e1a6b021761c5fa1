//! A map that keeps the order of insertion, so that what is read and written again stays the same
//! text, and finds a name without a search: images with thousands of kernels have as many
//! properties in one set.

use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(crate) struct Ordered<V> {
    entries: Vec<(String, V)>,
    places: HashMap<String, usize>,
}

impl<V> Default for Ordered<V> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: HashMap::new() }
    }
}

impl<V: PartialEq> PartialEq for Ordered<V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<V: Eq> Eq for Ordered<V> {}

impl<V> Ordered<V> {
    pub fn get(&self, name: &str) -> Option<&V> {
        self.places.get(name).map(|&at| &self.entries[at].1)
    }

    /// The entry called `name`; made by `new` at the end where there is none.
    pub fn entry(&mut self, name: &str, new: impl FnOnce() -> V) -> &mut V {
        let at = match self.places.get(name) {
            Some(&at) => at,
            None => {
                self.places.insert(name.to_owned(), self.entries.len());
                self.entries.push((name.to_owned(), new()));
                self.entries.len() - 1
            }
        };
        &mut self.entries[at].1
    }

    /// Sets the value of `name` and returns the one it had. A name keeps its first place.
    pub fn insert(&mut self, name: &str, value: V) -> Option<V> {
        if let Some(&at) = self.places.get(name) {
            return Some(std::mem::replace(&mut self.entries[at].1, value));
        }
        self.entry(name, || value);
        None
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

//! Names of kernels and activities, as numbers. A name is stored once, however many records have
//! it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A name. Its number is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

#[derive(Default)]
struct Names {
    numbers: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

impl Name {
    /// Returns the name for a text. The texts of names are never freed.
    pub fn of(text: &str) -> Self {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let names = names.get_or_insert_default();
        if let Some(&number) = names.numbers.get(text) {
            return Self(number);
        }
        let text: &'static str = Box::leak(text.into());
        names.texts.push(text);
        let number = names.texts.len() as u32;
        names.numbers.insert(text, number);
        Self(number)
    }

    pub(crate) fn text(self) -> &'static str {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = names.as_ref().map_or(&[][..], |names| &names.texts);
        texts.get(self.0 as usize - 1).copied().unwrap_or_default()
    }
}

/// The name of an object, which looks its text up once.
#[derive(Default)]
pub struct CachedName(AtomicU32);

impl CachedName {
    pub fn get(&self, text: &str) -> Name {
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let name = Name::of(text);
                self.0.store(name.0, Ordering::Relaxed);
                name
            }
            number => Name(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name() {
        let cached = CachedName::default();
        let name = Name::of("a kernel");
        assert_eq!((name, cached.get("a kernel")), (Name::of("a kernel"), name));
        assert_eq!((name.text(), cached.get("not looked up").text()), ("a kernel", "a kernel"));
        assert_ne!(name, Name::of("another kernel"));
    }
}

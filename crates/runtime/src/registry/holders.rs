//! Which images hold a kernel. A lookup costs the same however many images there are: programs have
//! thousands of them, and ask for each of their kernels.

use std::collections::HashMap;
use std::sync::Arc;

use super::image::Image;

/// Images by the kernels in them, in the order in which they were added.
#[derive(Default)]
pub(super) struct Holders(HashMap<String, Vec<Arc<Image>>>);

impl Holders {
    pub(super) fn add(&mut self, image: &Arc<Image>) {
        for symbol in image.kernels.keys() {
            match self.0.get_mut(symbol) {
                Some(images) => images.push(image.clone()),
                None => drop(self.0.insert(symbol.clone(), vec![image.clone()])),
            }
        }
    }

    pub(super) fn remove(&mut self, image: &Image) {
        for symbol in image.kernels.keys() {
            let Some(images) = self.0.get_mut(symbol) else { continue };
            images.retain(|known| known.id != image.id);
            if images.is_empty() {
                self.0.remove(symbol);
            }
        }
    }

    pub(super) fn of(&self, symbol: &str) -> &[Arc<Image>] {
        self.0.get(symbol).map_or(&[], Vec::as_slice)
    }

    /// All kernels, in no order.
    pub(super) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

//! The images that contain each kernel. The cost of a lookup does not depend on the number of
//! images: programs have thousands of them and look up each of their kernels.

use std::collections::HashMap;
use std::sync::Arc;

use super::image::Image;

/// The images of each kernel, in the order in which they were added.
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

    /// Returns all kernels, in unspecified order.
    pub(super) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

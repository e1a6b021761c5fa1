//! Images of a program that was compiled from source text. They are not part of the registry: no
//! lookup by name considers them, so several programs may contain kernels of the same name. Their
//! imports are found among the images of the same program.

use std::sync::Arc;

use scythe_abi::launch::KernelLaunch;
use scythe_image::ImageView;

use super::choice::judge_image;
use super::entry::on_device;
use super::image::{Image, KernelFacts};
use super::ready::ReadyKernel;
use super::{Constants, DeviceInContext, no_image};
use crate::demangle::symbol_name;
use crate::device_global::{ImageVariable, PrivateVariables};
use crate::platform::Device;
use crate::{Errc, Error, Result};

/// The images of one program.
#[derive(Default)]
pub struct PrivateImages {
    images: Vec<Arc<Image>>,
    variables: Arc<PrivateVariables>,
}

/// Divides a file of images, which follow each other, into its images.
pub fn divide(mut file: &[u8]) -> Result<Vec<Arc<[u8]>>> {
    let mut images = Vec::new();
    while !file.is_empty() {
        let (_, length) = ImageView::parse_prefix(file)
            .map_err(|error| Error::new(Errc::Build, error.to_string()))?;
        images.push(Arc::from(&file[..length]));
        file = &file[length..];
    }
    Ok(images)
}

impl PrivateImages {
    /// Reads the images. `name` describes the program in messages.
    pub fn read(images: &[Arc<[u8]>], name: &str) -> Result<Self> {
        let variables = Arc::<PrivateVariables>::default();
        let read = |bytes: &Arc<[u8]>| {
            Image::read_private(bytes.clone(), name.into(), variables.clone())
                .map(Arc::new)
                .map_err(|why| Error::new(Errc::Build, format!("{name}: {why}")))
        };
        Ok(Self { images: images.iter().map(read).collect::<Result<_>>()?, variables })
    }

    /// Returns the number of images.
    pub fn count(&self) -> usize {
        self.images.len()
    }

    /// Returns the symbols of all kernels, in unspecified order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.images.iter().flat_map(|image| image.kernels.keys().map(String::as_str))
    }

    /// Returns the symbols that images define for others, in unspecified order.
    pub fn exports(&self) -> impl Iterator<Item = &str> {
        self.images.iter().flat_map(|image| image.exports.iter().map(String::as_str))
    }

    /// Returns the launch description of a kernel.
    pub fn launch(&self, symbol: &str) -> Option<&Arc<KernelLaunch>> {
        self.facts(symbol).map(|(_, facts)| &facts.launch)
    }

    /// Returns the attributes and properties of a kernel, as text.
    pub fn attributes(&self, symbol: &str) -> Option<&Arc<str>> {
        self.facts(symbol).map(|(_, facts)| &facts.attributes)
    }

    /// Returns the sizes of work-groups (in the order of the attribute) and sub-groups that a
    /// kernel requires.
    pub fn required_sizes(&self, symbol: &str) -> (Option<&[u32]>, Option<u32>) {
        self.facts(symbol).map_or((None, None), |(image, facts)| {
            (facts.work_group_size.as_deref(), image.sub_group_size())
        })
    }

    /// Returns the `device_global` variable that the program calls `name`: its symbol, or its name
    /// in the source.
    pub fn variable(&self, name: &str) -> Option<&ImageVariable> {
        let all = || self.images.iter().flat_map(|image| &image.globals);
        let source_name = name.trim_start_matches(['&', ':', ' ']);
        all()
            .find(|variable| variable.symbol == name)
            .or_else(|| all().find(|variable| symbol_name(&variable.symbol) == source_name))
    }

    /// Returns the address of a variable without `device_image_scope`.
    pub fn address(
        &self,
        variable: &ImageVariable,
        place: DeviceInContext,
    ) -> Result<*mut std::ffi::c_void> {
        let ImageVariable { symbol, size, .. } = variable;
        Ok(self.variables.memory(place.device, place.context, symbol, *size)?.address)
    }

    /// Builds all images that the device can run. Returns an error if one of them cannot be built,
    /// or if its imports cannot be found.
    pub fn build(&self, place: DeviceInContext) -> Result<()> {
        for image in &self.images {
            match self.judge(image, place.device, None) {
                Ok(libraries) => {
                    image.program(place, &libraries, &Constants::default())?;
                }
                // Other devices of the program may run it.
                Err(error) if error.code == Errc::KernelNotSupported => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns whether the device can run the kernel. This builds nothing.
    pub fn is_compatible(&self, symbol: &str, device: &Device) -> bool {
        self.facts(symbol).is_some_and(|(image, _)| self.judge(image, device, Some(symbol)).is_ok())
    }

    /// Returns a kernel, built for its place.
    pub fn kernel(&self, symbol: &str, place: DeviceInContext) -> Result<Arc<ReadyKernel>> {
        let (image, facts) = self.facts(symbol).ok_or_else(|| no_image(symbol))?;
        let libraries = self.judge(image, place.device, Some(symbol))?;
        let built = image
            .program(place, &libraries, &Constants::default())
            .map_err(|error| on_device(symbol, error, place.device))?;
        let inner = built
            .program
            .kernel(symbol, &facts.launch)
            .map_err(|error| on_device(symbol, error, place.device))?;
        Ok(Arc::new(ReadyKernel::new(symbol, inner, facts.clone(), built.globals)))
    }

    fn facts(&self, symbol: &str) -> Option<(&Arc<Image>, &KernelFacts)> {
        self.images.iter().find_map(|image| Some((image, image.kernels.get(symbol)?)))
    }

    /// Returns the images that `image` is linked with, or an error if the device cannot run it.
    fn judge(
        &self,
        image: &Arc<Image>,
        device: &Device,
        symbol: Option<&str>,
    ) -> Result<Vec<Arc<Image>>> {
        let symbol = symbol
            .or_else(|| image.kernels.keys().min().map(String::as_str))
            .unwrap_or("a function without kernels");
        judge_image(image, || self.images.clone(), device)
            .map(|(_, libraries)| libraries)
            .map_err(|rejection| rejection.error(symbol, device))
    }
}

//! A kernel that is built for a device, and the check that host and device refer to the same
//! kernel.

use std::any::Any;
use std::sync::Arc;

use scythe_abi::launch::{Argument, KernelLaunch, Param, ParamKind, Shape};
use scythe_hal::{self as hal, Kernel};
use scythe_trace::{CachedName, Name};

use super::image::KernelFacts;
use crate::{Errc, Error, Result, device_global};

/// A kernel that is built for a device. It wraps the backend's kernel, so that the runtime can
/// observe the reference count.
pub struct ReadyKernel {
    symbol: String,
    inner: Arc<dyn Kernel>,
    facts: KernelFacts,
    /// The memory of the variables that the code uses.
    _globals: Vec<Arc<device_global::Memory>>,
    /// The offsets of the accessors in the functor.
    accessors: Vec<usize>,
    local_accessors: Vec<usize>,
    name_in_timeline: CachedName,
}

impl ReadyKernel {
    pub(super) fn new(
        symbol: &str,
        inner: Arc<dyn hal::Kernel>,
        facts: KernelFacts,
        globals: Vec<Arc<device_global::Memory>>,
    ) -> Self {
        let offsets = |kind| {
            let params = facts.launch.params.iter().filter(|param| param.kind == kind);
            params.map(|param| param.offset as usize).collect()
        };
        let (accessors, local_accessors) =
            (offsets(ParamKind::Accessor), offsets(ParamKind::Local));
        Self {
            symbol: symbol.to_owned(),
            inner,
            facts,
            _globals: globals,
            accessors,
            local_accessors,
            name_in_timeline: CachedName::default(),
        }
    }

    /// Wraps a native kernel that the program created.
    pub fn of_driver(inner: Arc<dyn hal::Kernel>, launch: KernelLaunch) -> Self {
        let facts =
            KernelFacts { launch: Arc::new(launch), work_group_size: None, attributes: "".into() };
        Self::new("native kernel", inner, facts, Vec::new())
    }

    pub(super) fn check(&self, expected: Expected) -> Result<()> {
        check(&self.symbol, &self.facts.launch, expected)
    }

    pub fn symbol(&self) -> &str {
        &self.symbol
    }
    pub fn name_in_timeline(&self) -> Name {
        self.name_in_timeline.get(&self.symbol)
    }
    pub fn accessors(&self) -> &[usize] {
        &self.accessors
    }
    /// Returns the offsets of the local accessors in the functor.
    pub fn local_accessors(&self) -> &[usize] {
        &self.local_accessors
    }
    /// Returns the parameters, in the order of the launch rows.
    pub fn params(&self) -> &[Param] {
        &self.facts.launch.params
    }
    /// Returns the place of an argument of the source: a parameter of a free function kernel, or a
    /// launch row of another kernel.
    pub fn argument(&self, index: u32) -> Option<Argument> {
        let index = index as usize;
        match &self.facts.launch.function {
            Some(function) => function.arguments.get(index).copied(),
            None => {
                let param = self.params().get(index)?;
                Some(Argument { offset: param.offset, size: param.size })
            }
        }
    }
    /// Returns whether an argument is the row of an accessor, which is shorter than the accessor.
    pub fn is_accessor_row(&self, index: u32) -> bool {
        let row = self.params().get(index as usize);
        self.facts.launch.function.is_none()
            && row.is_some_and(|row| row.kind == ParamKind::Accessor)
    }
    /// Returns the number of arguments that [`Self::argument`] finds.
    pub fn argument_count(&self) -> usize {
        match &self.facts.launch.function {
            Some(function) => function.arguments.len(),
            None => self.params().len(),
        }
    }
    /// Returns the work-group size that the kernel requires, in the order of the attribute.
    pub fn work_group_size(&self) -> Option<&[u32]> {
        self.facts.work_group_size.as_deref()
    }
}

impl Kernel for ReadyKernel {
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }

    fn resources(&self) -> Result<hal::Resources> {
        self.inner.resources()
    }

    fn native(&self) -> Result<hal::Native> {
        self.inner.native()
    }

    fn native_program(&self) -> Result<hal::Native> {
        self.inner.native_program()
    }

    fn release_native_program(&self, program: hal::Native) {
        self.inner.release_native_program(program);
    }
}

/// The properties that the host program expects of the kernel it launches.
#[derive(Clone, Copy)]
pub struct Expected {
    pub functor_size: u64,
    pub shape: Shape,
}

/// Checks that host and device refer to the same kernel.
pub(super) fn check(symbol: &str, launch: &KernelLaunch, expected: Expected) -> Result<()> {
    let place = || format!("{}:{}:{}", launch.file, launch.line, launch.column);
    if launch.functor_size != expected.functor_size {
        let message = format!(
            "kernel '{symbol}' ({}) has a functor of {} bytes in the host program and {} bytes in \
             the device image; compile host and device code from the same source with the same \
             options",
            place(),
            expected.functor_size,
            launch.functor_size
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    if launch.shape != expected.shape {
        let message = format!(
            "kernel '{symbol}' ({}) is launched as {}, but was compiled as {}; compile host and \
             device code from the same source with the same options",
            place(),
            expected.shape.as_str(),
            launch.shape.as_str()
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    Ok(())
}

//! The backends on which this machine runs the tests of other projects.

use crate::opencl;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Cpu,
    OpenCl,
    Cuda,
}

impl Backend {
    pub const ALL: [Backend; 3] = [Backend::Cpu, Backend::OpenCl, Backend::Cuda];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::OpenCl => "opencl",
            Backend::Cuda => "cuda",
        }
    }

    pub fn parse(name: &str) -> Result<Backend, String> {
        let known = Backend::ALL.into_iter().find(|backend| backend.name() == name);
        known.ok_or_else(|| format!("unknown backend '{name}': expected cpu, opencl or cuda"))
    }

    /// Returns the name of the backend in `ONEAPI_DEVICE_SELECTOR`.
    pub fn in_selector(self) -> &'static str {
        match self {
            Backend::Cpu => "native_cpu",
            Backend::OpenCl => "opencl",
            Backend::Cuda => "cuda",
        }
    }

    /// Returns the backend's kind of device in `ONEAPI_DEVICE_SELECTOR`.
    pub fn device(self) -> String {
        let kind = match self {
            Backend::Cpu | Backend::OpenCl => "cpu",
            Backend::Cuda => "gpu",
        };
        format!("{}:{kind}", self.in_selector())
    }

    /// Returns the variables by which programs find the driver of this backend. The dynamic loader
    /// finds the CUDA driver.
    pub fn driver(self) -> Result<Vec<String>, String> {
        match self {
            Backend::Cpu | Backend::Cuda => Ok(Vec::new()),
            Backend::OpenCl => Ok(opencl::variables(&opencl::runtime()?).to_vec()),
        }
    }
}

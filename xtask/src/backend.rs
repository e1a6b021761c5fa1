//! The backends on which this machine runs the tests of other projects.

use crate::opencl;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Cpu,
    OpenCl,
}

impl Backend {
    pub const ALL: [Backend; 2] = [Backend::Cpu, Backend::OpenCl];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::OpenCl => "opencl",
        }
    }

    pub fn parse(name: &str) -> Result<Backend, String> {
        let known = Backend::ALL.into_iter().find(|backend| backend.name() == name);
        known.ok_or_else(|| format!("unknown backend '{name}': expected cpu or opencl"))
    }

    /// Returns the name of the backend in `ONEAPI_DEVICE_SELECTOR`.
    pub fn in_selector(self) -> &'static str {
        match self {
            Backend::Cpu => "native_cpu",
            Backend::OpenCl => "opencl",
        }
    }

    /// Returns the variables by which programs find the driver of this backend.
    pub fn driver(self) -> Result<Vec<String>, String> {
        match self {
            Backend::Cpu => Ok(Vec::new()),
            Backend::OpenCl => Ok(opencl::variables(&opencl::runtime()?).to_vec()),
        }
    }
}

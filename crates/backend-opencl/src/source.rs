//! The driver's own compilers: programs from OpenCL C and from SPIR-V modules of the program, and
//! what the driver says about these languages.

use std::ffi::CString;
use std::sync::Arc;

use scythe_hal::{DriverProgram, DriverSource, Errc, Error, OpenClC, Result};

use crate::api::{Api, Handle, bytes, text};
use crate::device::OclDevice;
use crate::program::OclProgram;

const DEVICE_COMPILER_AVAILABLE: u32 = 0x1028;
const DEVICE_PROFILE: u32 = 0x102e;
const DEVICE_EXTENSIONS: u32 = 0x1030;
const DEVICE_OPENCL_C_VERSION: u32 = 0x103d;
const DEVICE_IL_VERSION: u32 = 0x105b;
const DEVICE_EXTENSIONS_WITH_VERSION: u32 = 0x1060;
const DEVICE_OPENCL_C_ALL_VERSIONS: u32 = 0x1066;
const DEVICE_OPENCL_C_FEATURES: u32 = 0x106f;

/// The size of a `cl_name_version`: a version and a name of 64 bytes.
const NAME_VERSION: usize = 68;

/// Returns the driver's answer to a query about a device.
fn ask(api: &Api, device: Handle, what: u32) -> Vec<u8> {
    // SAFETY: devices live as long as the process, and the call gets the size of the memory.
    bytes(|size, place, full| unsafe { (api.get_device_info)(device, what, size, place, full) })
}

/// Returns the pairs of name and version in an array of `cl_name_version`.
fn pairs(answer: &[u8]) -> Vec<(String, u32)> {
    let rows = answer.chunks_exact(NAME_VERSION);
    rows.map(|row| (text(&row[4..]), u32::from_ne_bytes([row[0], row[1], row[2], row[3]])))
        .collect()
}

/// Returns a version as a `cl_version`.
fn version(major: u32, minor: u32) -> u32 {
    major << 22 | minor << 12
}

/// Returns the versions of OpenCL C up to the one in a text such as "OpenCL C 1.2 …".
fn versions_up_to(answer: &str) -> Vec<u32> {
    let number = answer.trim_start_matches("OpenCL C ").split(' ').next().unwrap_or_default();
    let newest = number
        .split_once('.')
        .and_then(|(major, minor)| Some(version(major.parse().ok()?, minor.parse().ok()?)));
    let all = [version(1, 0), version(1, 1), version(1, 2), version(2, 0)];
    let known = all.into_iter().filter(|&known| newest.is_some_and(|newest| known <= newest));
    known.chain(newest.filter(|newest| !all.contains(newest))).collect()
}

/// Returns what the driver says about OpenCL C, or `None` if it has no compiler.
pub(crate) fn opencl_c(device: &OclDevice) -> Option<OpenClC> {
    let (api, id) = (device.platform.api, device.id);
    let available = ask(api, id, DEVICE_COMPILER_AVAILABLE);
    if available.iter().all(|&byte| byte == 0) {
        return None;
    }
    let mut versions: Vec<u32> =
        pairs(&ask(api, id, DEVICE_OPENCL_C_ALL_VERSIONS)).into_iter().map(|pair| pair.1).collect();
    if versions.is_empty() {
        versions = versions_up_to(&text(&ask(api, id, DEVICE_OPENCL_C_VERSION)));
    }
    let mut extensions = pairs(&ask(api, id, DEVICE_EXTENSIONS_WITH_VERSION));
    if extensions.is_empty() {
        let names = text(&ask(api, id, DEVICE_EXTENSIONS));
        extensions = names.split(' ').map(|name| (name.to_owned(), 0)).collect();
    }
    Some(OpenClC {
        versions,
        features: pairs(&ask(api, id, DEVICE_OPENCL_C_FEATURES)),
        extensions,
        profile: text(&ask(api, id, DEVICE_PROFILE)),
    })
}

/// Returns whether the driver compiles SPIR-V.
pub(crate) fn takes_spirv(device: &OclDevice) -> bool {
    text(&ask(device.platform.api, device.id, DEVICE_IL_VERSION)).contains("SPIR-V")
}

pub(crate) fn build(
    device: &OclDevice,
    source: DriverSource<'_>,
    options: &str,
) -> Result<DriverProgram> {
    let options = CString::new(options)
        .map_err(|_| Error::new(Errc::Invalid, "a build option contains a NUL character"))?;
    let (program, log) = OclProgram::from_source(&device.platform, device.id, source, &options)?;
    let kernels = program.kernels()?;
    Ok(DriverProgram { program: Arc::new(program), kernels, log })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_old_and_new_drivers_are_read() {
        let known = [version(1, 0), version(1, 1), version(1, 2)];
        assert_eq!(versions_up_to("OpenCL C 1.2 by someone"), known);
        assert_eq!(versions_up_to("OpenCL C 3.0").len(), 5);
        assert!(versions_up_to("nothing").is_empty());
        let mut row = vec![0; NAME_VERSION];
        row[..4].copy_from_slice(&version(3, 0).to_ne_bytes());
        row[4..8].copy_from_slice(b"fp64");
        assert_eq!(pairs(&row), [("fp64".to_owned(), version(3, 0))]);
        assert!(pairs(&row[1..]).is_empty());
    }
}

//! Binaries with patch tokens: lists of records after the code of each kernel.
//!
//! ```text
//! program:  u32 magic, version, device, address size, number of kernels, stepping,
//!           size of a list of records, which follows
//! kernel:   u32 checksum, u64 hash, u32 size of the name, of the records, of the code, of three
//!           other parts, and of the code without padding; then these parts: name, code, others,
//!           records
//! record:   u32 kind, u32 size of the record, contents
//! ```

use super::IntelKernel;
use std::collections::BTreeMap;

const MAGIC: u32 = 0x494e_5443;
/// The kinds of records, and the positions of numbers in their contents.
const LOCAL_MEMORY: u32 = 15;
const LOCAL_SIZE: usize = 1;
const SCRATCH_MEMORY: u32 = 18;
const SCRATCH_SIZE: usize = 1;
const EXECUTION: u32 = 23;
const LANES: usize = 3;
const REGISTERS: usize = 20;

/// Returns the kernels of a binary. Returns `None` for damaged binaries.
pub(super) fn kernels(bytes: &[u8]) -> Option<BTreeMap<String, IntelKernel>> {
    let mut rest = bytes;
    let [magic, _, _, _, count, _, list] = words(&mut rest)?;
    if magic != MAGIC {
        return None;
    }
    take(&mut rest, list)?;
    let mut found = BTreeMap::new();
    for _ in 0..count {
        let [_checksum, _, _] = words(&mut rest)?;
        let [name, records, code, general, dynamic, surface, unpadded] = words(&mut rest)?;
        let name = take(&mut rest, name)?;
        for size in [code, general, dynamic, surface] {
            take(&mut rest, size)?;
        }
        let mut kernel = IntelKernel { code_bytes: unpadded.into(), ..IntelKernel::default() };
        read(take(&mut rest, records)?, &mut kernel)?;
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        found.insert(String::from_utf8_lossy(name).into_owned(), kernel);
    }
    Some(found)
}

/// Reads the records of a kernel.
fn read(mut records: &[u8], kernel: &mut IntelKernel) -> Option<()> {
    while !records.is_empty() {
        let [kind, size] = words(&mut records)?;
        let contents = take(&mut records, size.checked_sub(8)?)?;
        let number = |at: usize| {
            let word = contents.get(4 * at..)?.first_chunk::<4>()?;
            Some(u32::from_le_bytes(*word))
        };
        match kind {
            LOCAL_MEMORY => kernel.local_bytes = number(LOCAL_SIZE)?.into(),
            SCRATCH_MEMORY => kernel.scratch_bytes = number(SCRATCH_SIZE)?.into(),
            EXECUTION => {
                kernel.lanes = number(LANES);
                kernel.registers = number(REGISTERS).filter(|&registers| registers != 0);
            }
            _ => {}
        }
    }
    Some(())
}

fn take<'a>(rest: &mut &'a [u8], size: u32) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(size as usize)?;
    *rest = after;
    Some(taken)
}

fn words<const N: usize>(rest: &mut &[u8]) -> Option<[u32; N]> {
    let mut words = [0; N];
    for word in &mut words {
        let (bytes, after) = rest.split_first_chunk::<4>()?;
        (*word, *rest) = (u32::from_le_bytes(*bytes), after);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn binary() -> Vec<u8> {
        let mut execution = vec![EXECUTION, 8 + 4 * 21];
        execution.extend((0..21).map(|at| match at {
            LANES => 32,
            REGISTERS => 128,
            _ => 0,
        }));
        let records =
            [&[LOCAL_MEMORY, 16, 0, 256, SCRATCH_MEMORY, 16, 0, 64], &execution[..]].concat();
        let mut all = bytes(&[MAGIC, 1081, 18, 8, 1, 6, 4, 0xffff]);
        all.extend(bytes(&[1, 2, 3, 8, 4 * records.len() as u32, 8, 0, 4, 4, 5]));
        all.extend(b"_ZTS1K\0\0");
        all.extend([0; 16]);
        all.extend(bytes(&records));
        all
    }

    #[test]
    fn records_of_kernels_are_read() {
        let kernel = IntelKernel {
            lanes: Some(32),
            registers: Some(128),
            local_bytes: 256,
            scratch_bytes: 64,
            code_bytes: 5,
        };
        assert_eq!(kernels(&binary()), Some([("_ZTS1K".to_owned(), kernel)].into()));
    }

    #[test]
    fn damaged_binaries_are_refused() {
        let whole = binary();
        for length in 0..whole.len() {
            assert_eq!(kernels(&whole[..length]), None, "{length}");
        }
    }
}

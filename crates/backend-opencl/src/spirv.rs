//! The part of SPIR-V that this backend reads: the number of kernels.

const HEADER_WORDS: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_FUNCTION: u32 = 54;

/// Returns whether a module has several kernels. Entry points precede all functions.
pub(crate) fn has_several_kernels(module: &[u8]) -> bool {
    let words: Vec<u32> =
        module.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut at, mut kernels) = (HEADER_WORDS, 0);
    while let Some(&word) = words.get(at) {
        match word & 0xffff {
            OP_ENTRY_POINT => kernels += 1,
            OP_FUNCTION => break,
            _ => {}
        }
        at += (word >> 16).max(1) as usize;
    }
    kernels > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_counted() {
        let module = |body: &[u32]| {
            let words = [&[0x0723_0203, 0x0001_0400, 0, 9, 0], body].concat();
            words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
        };
        let entry = [4 << 16 | OP_ENTRY_POINT, 6, 1, 0x61];
        let function = [2 << 16 | OP_FUNCTION, OP_ENTRY_POINT];
        assert!(!has_several_kernels(&module(&[])));
        assert!(!has_several_kernels(&module(&[&entry[..], &function, &entry].concat())));
        assert!(has_several_kernels(&module(&[entry, entry].concat())));
        assert!(!has_several_kernels(&module(&[0, u32::MAX, OP_ENTRY_POINT])));
        assert!(!has_several_kernels(b"abc"));
    }
}

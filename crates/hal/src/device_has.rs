//! Whether device code asks for the aspects of the device that it runs on.

/// The function that device code calls. Bitcode holds the names of symbols as plain bytes.
const QUERY: &[u8] = b"__scythe_device_has";

/// Whether this bitcode calls the query.
pub fn asks(code: &[u8]) -> bool {
    code.windows(QUERY.len()).any(|window| window == QUERY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_the_query_is_found() {
        assert!(asks(&[b"BC..".as_slice(), QUERY, b".."].concat()));
        assert!(!asks(b"BC"));
    }
}

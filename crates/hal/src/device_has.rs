//! What code that is built for a device learns when it asks for the device's aspects.
//!
//! The answers are part of the build options, so that caches tell builds for different devices apart. Code that does not ask gets
//! none, and is the same for all devices.

use std::borrow::Cow;

/// The option that lists aspects, separated by commas.
const OPTION: &str = "-scythe-device-aspects=";
/// What device code calls. Bitcode holds the names of symbols as they are.
const QUERY: &[u8] = b"__scythe_device_has";

/// The options to build `code` with for a device with these aspects. Aspects that are given already stay.
pub fn options<'a>(options: &'a str, aspects: &[u32], code: &[u8], libraries: &[&[u8]]) -> Cow<'a, str> {
    let asks = |code: &[u8]| code.windows(QUERY.len()).any(|window| window == QUERY);
    if options.contains(OPTION) || !(asks(code) || libraries.iter().any(|code| asks(code))) {
        return Cow::Borrowed(options);
    }
    let numbers: Vec<String> = aspects.iter().map(u32::to_string).collect();
    Cow::Owned(format!("{options} {OPTION}{}", numbers.join(",")))
}

/// The aspects that build options list.
pub fn aspects(options: &str) -> Vec<u32> {
    let listed = options.split_whitespace().find_map(|word| word.strip_prefix(OPTION));
    listed.map(|list| list.split(',').filter_map(|number| number.parse().ok()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_that_asks_is_told() {
        let asking = [b"BC..".as_slice(), QUERY, b".."].concat();
        assert_eq!(options("-O2", &[5, 6], b"BC", &[]), "-O2");
        let told = options("-O2", &[5, 6], &asking, &[]);
        assert_eq!(aspects(&told), [5, 6]);
        assert_eq!(aspects(&options(&told, &[7], &asking, &[])), [5, 6], "who was told first counts");
        assert_eq!(aspects(&options("", &[7], b"BC", &[&asking])), [7]);
        assert!(aspects("-O2").is_empty());
    }
}

//! Kernel symbols as users know them.

/// The kernel's name in C++, where the symbol is a plain or qualified name; else the symbol as it is. Never an error: the
/// answer only goes into messages.
pub fn kernel_name(symbol: &str) -> String {
    let base = symbol.split(scythe_abi::names::TU_SEPARATOR).next().unwrap_or(symbol);
    base.strip_prefix("_ZTS").and_then(qualified).unwrap_or_else(|| symbol.to_owned())
}

fn qualified(mangled: &str) -> Option<String> {
    let Some(mut rest) = mangled.strip_prefix('N') else {
        return source_name(mangled).and_then(|(name, rest)| rest.is_empty().then(|| name.to_owned()));
    };
    let mut parts = Vec::new();
    while let Some((name, tail)) = source_name(rest) {
        parts.push(if name.starts_with("_GLOBAL__N") { "(anonymous namespace)" } else { name });
        rest = tail;
    }
    (rest == "E" && !parts.is_empty()).then(|| parts.join("::"))
}

fn source_name(mangled: &str) -> Option<(&str, &str)> {
    let digits = mangled.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = mangled[..digits].parse().ok()?;
    mangled[digits..].split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::kernel_name;

    #[test]
    fn plain_and_qualified_names_are_unmangled() {
        assert_eq!(kernel_name("_ZTS6Shared"), "Shared");
        assert_eq!(kernel_name("_ZTSN3app4mathE"), "app::math");
        assert_eq!(kernel_name("_ZTSN12_GLOBAL__N_11KE.tu.0123456789abcdef"), "(anonymous namespace)::K");
    }

    #[test]
    fn other_symbols_stay_as_they_are() {
        for symbol in
            ["_ZTSZ4mainEUlvE_", "_ZTS1KIiE", "_ZTS", "_ZTS99x", "_ZTSNE", "kernel", "_ZTS18446744073709551616x"]
        {
            assert_eq!(kernel_name(symbol), symbol);
        }
    }
}

//! Converts symbols to the names in the source, for messages. Unknown symbols stay as they are.

use scythe_abi::names::TU_SEPARATOR;

/// The text that demanglers put before the name of a type.
const TYPE_NAME: &str = "typeinfo name for ";

/// Returns the name of a kernel in C++, or the symbol itself if it has none.
pub fn kernel_name(symbol: &str) -> String {
    let base = symbol.split(TU_SEPARATOR).next().unwrap_or(symbol);
    scythe_llvm::demangle(base)
        .strip_prefix(TYPE_NAME)
        .map_or_else(|| symbol.to_owned(), str::to_owned)
}

/// Returns the declaration of a function or variable in C++. For a kernel, returns its name.
pub fn symbol_name(symbol: &str) -> String {
    if symbol.starts_with("_ZTS") { kernel_name(symbol) } else { scythe_llvm::demangle(symbol) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(kernel_name("_ZTS6Shared"), "Shared");
        assert_eq!(kernel_name("_ZTSN3app4mathE"), "app::math");
        assert_eq!(kernel_name("_ZTS1KIiE"), "K<int>");
        assert_eq!(
            kernel_name("_ZTSN12_GLOBAL__N_11KE.tu.0123456789abcdef"),
            "(anonymous namespace)::K"
        );
        assert_eq!(symbol_name("_ZN3app3fooEi"), "app::foo(int)");
        assert_eq!(symbol_name("_ZTS1K"), "K");
    }

    #[test]
    fn other_symbols_stay_as_they_are() {
        for symbol in ["_ZTS", "_ZTS99x", "_ZTSNE", "kernel", "_ZTS18446744073709551616x", "_Z"] {
            assert_eq!(kernel_name(symbol), symbol);
            assert_eq!(symbol_name(symbol), symbol);
        }
    }
}

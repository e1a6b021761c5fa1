//! The compiler-generated names of kernels. Programs for DPC++ know their form: the name of the
//! function with a prefix, mangled like the function.

const PREFIX: &str = "__sycl_kernel_";

/// Returns the name of the kernel of a function with this symbol.
pub fn kernel(symbol: &str) -> String {
    mangled(symbol).unwrap_or_else(|| format!("{PREFIX}{symbol}"))
}

/// Inserts the prefix in a symbol of C++: before the last of the names of namespaces and function.
fn mangled(symbol: &str) -> Option<String> {
    let names = symbol.strip_prefix("_Z")?;
    let mut rest = names.strip_prefix('N').unwrap_or(names);
    let mut last = None;
    while let Some((length, name, after)) = identifier(rest) {
        last = Some((symbol.len() - rest.len(), length, name));
        rest = after;
    }
    let (at, length, name) = last?;
    let digits = symbol[at..].find(|c: char| !c.is_ascii_digit())?;
    let tail = &symbol[at + digits + name.len()..];
    Some(format!("{}{}{PREFIX}{name}{tail}", &symbol[..at], length + PREFIX.len()))
}

/// Divides a text that starts with a length and a name of that length.
fn identifier(text: &str) -> Option<(usize, &str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0)?;
    let length: usize = text[..digits].parse().ok()?;
    let (name, after) = text[digits..].split_at_checked(length)?;
    Some((length, name, after))
}

#[cfg(test)]
mod tests {
    use super::kernel;

    #[test]
    fn names_have_the_known_form() {
        assert_eq!(kernel("ff_cp"), "__sycl_kernel_ff_cp");
        assert_eq!(
            kernel("_Z12ff_templatedIiEvPT_S1_"),
            "_Z26__sycl_kernel_ff_templatedIiEvPT_S1_"
        );
        assert_eq!(kernel("_ZN9mykernels4iotaEiPi"), "_ZN9mykernels18__sycl_kernel_iotaEiPi");
        assert_eq!(kernel("_Z"), "__sycl_kernel__Z");
        assert_eq!(kernel("_Z9x"), "__sycl_kernel__Z9x");
    }
}

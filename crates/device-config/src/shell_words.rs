//! Splits a text with options into words, as a shell does.

/// Splits a text at blanks. Single and double quotes protect blanks, and a backslash protects the
/// next character. Inside single quotes, only the closing quote is special.
pub fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    let mut quote: Option<char> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if quote.is_none() && c.is_whitespace() {
            inside = false;
            continue;
        }
        if !inside {
            words.push(String::new());
            inside = true;
        }
        let Some(word) = words.last_mut() else { continue };
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None | Some('"'), '\\') => word.extend(rest.next()),
            (_, c) => word.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn quotes_keep_blanks_and_backslashes_the_next_character() {
        assert_eq!(split("  -a  b\tc\n"), ["-a", "b", "c"]);
        assert_eq!(
            split(r#"-options "-cl-a -cl-b" 'x "y" \z'"#),
            ["-options", "-cl-a -cl-b", r#"x "y" \z"#]
        );
        assert_eq!(split(r#"a\ b "c\"d" '' e"f"g"#), ["a b", "c\"d", "", "efg"]);
        assert_eq!(split("'open end"), ["open end"]);
        assert_eq!(
            split("-DA=1  -I 'a b'\n\"c \\\" d\"x \\e ''"),
            ["-DA=1", "-I", "a b", "c \" dx", "e", ""]
        );
        assert!(split(" ").is_empty());
    }
}

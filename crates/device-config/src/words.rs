//! Options in one text, taken apart as a shell would.

/// Splits at blanks. Quotes of either kind keep blanks, a backslash keeps the next character;
/// inside of single quotes only the quote has a meaning.
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
        assert!(split(" ").is_empty());
    }
}

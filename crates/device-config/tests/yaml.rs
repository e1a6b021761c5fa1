//! Users' configuration files: what they may say, and every way in which they may be wrong.

use scythe_abi::aspect::Aspect;
use scythe_device_config::{Table, Target};
use scythe_diag::Diagnostic;

/// The table with what the text says.
fn extended(text: &str) -> Table {
    let mut table = Table::embedded();
    let warnings =
        table.extend_with_yaml_text("c.yaml", text).unwrap_or_else(|error| panic!("{error}"));
    assert!(warnings.is_empty(), "{warnings:?}");
    table
}

fn target(text: &str, name: &str) -> Target {
    extended(text).lookup(name).unwrap_or_else(|| panic!("{name} is unknown")).clone()
}

#[test]
fn a_new_target_has_what_the_file_says() {
    let text = "
my_gpu:
  aspects: [gpu, 5, \"fp64\", fp16]
  may_support_other_aspects: true
  sub-group-sizes: [32, 16, 16]
  aot-toolchain: my-compiler
  aot-toolchain-options: -device my -O3
  max-work-group-size: 512
  local-mem-size: 65536
";
    let target = target(text, "my_gpu");
    assert_eq!(target.name, "my_gpu");
    assert_eq!(*target.aspects, [Aspect::Gpu, Aspect::Fp16, Aspect::Fp64]);
    assert!(target.may_support_other_aspects);
    assert_eq!(*target.sub_group_sizes, [16, 32]);
    assert_eq!(target.aot_toolchain, "my-compiler");
    assert_eq!(target.aot_toolchain_options, "-device my -O3");
    assert_eq!((target.max_work_group_size, target.local_mem_size), (Some(512), Some(65536)));
}

#[test]
fn the_documents_examples_are_understood() {
    let text = "
intel_gpu_11_1:
  aspects: [1, 2, 3]
  sub-group-sizes: [8, 16]
intel_gpu_icl:
  aspects: [2, 3]
  sub-group-sizes: [8, 16]
x86_64_avx512:
  aspects: [1, 2, 3, 9, 11]
  sub-group-sizes: [8, 32]
";
    let target = target(text, "x86_64_avx512");
    assert_eq!(target.aspects.len(), 5);
    assert_eq!(*target.sub_group_sizes, [8, 32]);
}

#[test]
fn block_lists_comments_json_and_byte_order_marks_are_yaml_too() {
    let block = target("# mine\ng: # a GPU\n  aspects:\n    - gpu\n    - 5 # fp16\n", "g");
    assert_eq!(block, target("\u{feff}{\"g\": {\"aspects\": [\"gpu\", 5]}}", "g"));
    assert_eq!(block, target("---\r\ng:\r\n  aspects: [gpu, 5]\r\n...\r\n", "g"));
}

#[test]
fn what_is_not_said_stays_as_it_was() {
    let before = Table::embedded().lookup("intel_gpu_skl").expect("the default has it").clone();
    let after = target("intel_gpu_skl:\n  sub-group-sizes: [8]\n", "intel_gpu_skl");
    assert_eq!(*after.sub_group_sizes, [8]);
    assert_eq!(after, Target { sub_group_sizes: vec![8].into(), ..before });
}

#[test]
fn other_targets_stay_as_they_were() {
    let table = extended("intel_gpu_skl:\n  aspects: []\n");
    assert!(table.lookup("intel_gpu_skl").expect("known").aspects.is_empty());
    assert_eq!(table.lookup("intel_gpu_kbl"), Table::embedded().lookup("intel_gpu_kbl"));
    assert_eq!(table.targets().count(), Table::embedded().targets().count());
}

#[test]
fn toolchain_and_options_of_intel_gpus_are_inferred() {
    let target = target("intel_gpu_new_one:\n  aspects: [gpu]\n", "intel_gpu_new_one");
    assert_eq!(
        (&*target.aot_toolchain, &*target.aot_toolchain_options),
        ("ocloc", "-device new_one")
    );
}

#[test]
fn nothing_is_inferred_from_other_names() {
    for name in ["my_gpu", "intel_gpu_", "xintel_gpu_a"] {
        let target = target(&format!("{name}:\n  aspects: [gpu]\n"), name);
        assert_eq!((&*target.aot_toolchain, &*target.aot_toolchain_options), ("", ""), "{name}");
    }
}

#[test]
fn what_the_user_wrote_goes_before_what_is_inferred() {
    let both = "intel_gpu_new:\n  aot-toolchain: mine\n  aot-toolchain-options: -x\n";
    let target_of = |text: &str| {
        let target = target(text, "intel_gpu_new");
        (target.aot_toolchain.into_owned(), target.aot_toolchain_options.into_owned())
    };
    assert_eq!(target_of(both), ("mine".into(), "-x".into()));
    assert_eq!(
        target_of("intel_gpu_new:\n  aot-toolchain-options: -x\n"),
        ("ocloc".into(), "-x".into())
    );
    // The options of ocloc mean nothing to another compiler.
    assert_eq!(
        target_of("intel_gpu_new:\n  aot-toolchain: mine\n"),
        ("mine".into(), String::new())
    );
    assert_eq!(
        target_of("intel_gpu_new:\n  aot-toolchain: ocloc\n"),
        ("ocloc".into(), "-device new".into())
    );
}

#[test]
fn an_alias_means_its_target() {
    let table = extended("intel_gpu_9_0_9:\n  sub-group-sizes: [64]\n");
    for name in ["intel_gpu_skl", "intel_gpu_9_0_9"] {
        assert_eq!(*table.lookup(name).expect("known").sub_group_sizes, [64], "{name}");
    }
}

#[test]
fn a_repeated_target_is_warned_of_and_the_last_entry_counts() {
    let mut table = Table::embedded();
    let text = "a:\n  sub-group-sizes: [8]\n  aspects: [gpu]\nb:\n  aspects: []\na:\n  \
        sub-group-sizes: [16]\n";
    let warnings = table.extend_with_yaml_text("c.yaml", text).unwrap();
    let rendered: String = warnings.iter().map(|warning| warning.render()).collect();
    assert_eq!(
        rendered,
        "c.yaml:6:1: warning: target 'a' is described twice; this entry replaces the values of the \
         first\nc.yaml:1:1: note: the first entry is here\n"
    );
    let target = table.lookup("a").unwrap();
    assert_eq!((&*target.sub_group_sizes, &*target.aspects), (&[16][..], &[Aspect::Gpu][..]));
}

#[test]
fn a_target_repeated_under_an_alias_is_warned_of() {
    let mut table = Table::embedded();
    let text = "intel_gpu_skl:\n  aspects: []\nintel_gpu_9_0_9:\n  aspects: []\n";
    let warnings = table.extend_with_yaml_text("c.yaml", text).unwrap();
    assert_eq!(
        warnings[0].message,
        "target 'intel_gpu_9_0_9' is described twice, as 'intel_gpu_skl' before; this entry \
         replaces the values of the first"
    );
}

#[test]
fn an_empty_file_is_warned_of() {
    for text in ["", "# only a comment\n", "\u{feff}\n"] {
        let mut table = Table::embedded();
        let warnings = table.extend_with_yaml_text("c.yaml", text).unwrap();
        let rendered: Vec<String> = warnings.iter().map(|warning| warning.to_string()).collect();
        assert_eq!(
            rendered,
            ["c.yaml: warning: the device configuration is empty and has no effect"]
        );
        assert_eq!(table, Table::embedded());
    }
}

#[test]
fn a_later_file_updates_an_earlier_one_without_warning() {
    let mut table = extended("a:\n  aspects: [gpu]\n");
    assert!(
        table.extend_with_yaml_text("d.yaml", "a:\n  sub-group-sizes: [4]\n").unwrap().is_empty()
    );
    let target = table.lookup("a").unwrap();
    assert_eq!((target.aspects.len(), target.sub_group_sizes.len()), (1, 1));
}

/// Wrong files, and all that is said of each.
const WRONG: &[(&str, &str)] = &[
    (
        "---\n...\n",
        "c.yaml:2:1: error: the value is missing: expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    (
        "- a\n- b\n",
        "c.yaml:1:1: error: found a list, expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    (
        "just text\n",
        "c.yaml:1:1: error: found 'just text', expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    (
        "12\n",
        "c.yaml:1:1: error: found '12', expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    (
        "[]\n",
        "c.yaml:1:1: error: found a list, expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    (
        "~\n",
        "c.yaml:1:1: error: the value is missing: expected targets with their keys, for example \
         'intel_gpu_skl:'",
    ),
    ("a: [\n", "c.yaml:1:4: error: found a list, expected the keys of target 'a'"),
    (
        "a:\n\taspects: []\n",
        "c.yaml:2:2: error: invalid YAML: tabs disallowed within this context (block indentation)",
    ),
    (
        "a: \"unclosed\n",
        "c.yaml:1:4: error: invalid YAML: while scanning a quoted scalar, found unexpected end of \
         stream",
    ),
    (
        "a: {aspects: [gpu]\n",
        "c.yaml:2:1: error: invalid YAML: while parsing a flow mapping, did not find \
         expected ',' or '}'",
    ),
    ("a:\n  aspects: [gpu]]\n", "c.yaml:2:17: error: invalid YAML: misplaced bracket"),
    (
        "a:\n  aspects: []\n b: {}\n",
        "c.yaml:3:2: error: invalid YAML: while parsing a block mapping, did not find expected key",
    ),
    ("a: b: c\n", "c.yaml:1:4: error: found 'b', expected the keys of target 'a'"),
    (
        "a:\n  aspects: [gpu\n  sub-group-sizes: [8]\n",
        "c.yaml:3:18: error: invalid YAML: illegal placement of ':' indicator",
    ),
    ("a: @x\n", "c.yaml:1:4: error: invalid YAML: unexpected character: `@'"),
    (
        "a:\n  aspects: 'gpu\n",
        "c.yaml:2:12: error: invalid YAML: while scanning a quoted scalar, found unexpected end of \
         stream",
    ),
    ("a:\n", "c.yaml:1:2: error: the value is missing: expected the keys of target 'a'"),
    ("a: 5\n", "c.yaml:1:4: error: found '5', expected the keys of target 'a'"),
    ("a: []\n", "c.yaml:1:4: error: found a list, expected the keys of target 'a'"),
    ("? [a]\n: {}\n", "c.yaml:1:3: error: found a list, expected a name and ':'"),
    ("? {a: b}\n: {}\n", "c.yaml:1:3: error: found a mapping, expected a name and ':'"),
    (
        "'': {aspects: []}\n",
        "c.yaml:1:1: error: '' is not a valid target name: expected at most 100 letters, digits, \
         '_', '-' and '.'",
    ),
    (
        "'a b': {aspects: []}\n",
        "c.yaml:1:1: error: 'a b' is not a valid target name: expected at most 100 letters, \
         digits, '_', '-' and '.'",
    ),
    (
        "\"a,b\": {aspects: []}\n",
        "c.yaml:1:1: error: 'a,b' is not a valid target name: expected at most 100 letters, \
         digits, '_', '-' and '.'",
    ),
    (
        "a:\n  aspect: [gpu]\n",
        "c.yaml:2:3: error: unknown key 'aspect' of target 'a': did you mean 'aspects'?",
    ),
    (
        "a:\n  may-support-other-aspects: true\n",
        "c.yaml:2:3: error: unknown key 'may-support-other-aspects' of target 'a': did you mean \
         'may_support_other_aspects'?",
    ),
    (
        "a:\n  colour: red\n",
        "c.yaml:2:3: error: unknown key 'colour' of target 'a': expected one of 'aspects', \
         'may_support_other_aspects', 'sub-group-sizes', 'aot-toolchain', 'aot-toolchain-options', \
         'max-work-group-size', 'local-mem-size'",
    ),
    (
        "a:\n  sub_group_sizes: [8]\n",
        "c.yaml:2:3: error: unknown key 'sub_group_sizes' of target 'a': did you mean \
         'sub-group-sizes'?",
    ),
    (
        "a:\n  Aspects: []\n",
        "c.yaml:2:3: error: unknown key 'Aspects' of target 'a': did you mean 'aspects'?",
    ),
    (
        "a:\n  5: 6\n",
        "c.yaml:2:3: error: unknown key '5' of target 'a': expected one of 'aspects', \
         'may_support_other_aspects', 'sub-group-sizes', 'aot-toolchain', 'aot-toolchain-options', \
         'max-work-group-size', 'local-mem-size'",
    ),
    (
        "a:\n  aspects: []\n  aspects: [gpu]\n",
        "c.yaml:3:3: error: key 'aspects' of target 'a' appears twice",
    ),
    ("a:\n  ? [x]\n  : y\n", "c.yaml:2:5: error: found a list, expected a name and ':'"),
    (
        "a:\n  aspects: gpu\n",
        "c.yaml:2:12: error: found 'gpu', expected a list of aspects as 'aspects'",
    ),
    (
        "a:\n  aspects:\n",
        "c.yaml:2:10: error: the value is missing: expected a list of aspects as 'aspects'",
    ),
    (
        "a:\n  aspects: {gpu: 1}\n",
        "c.yaml:2:12: error: found a mapping, expected a list of aspects as 'aspects'",
    ),
    ("a:\n  aspects: [fp23]\n", "c.yaml:2:13: error: unknown aspect 'fp23': did you mean 'fp16'?"),
    (
        "a:\n  aspects: [half_precision]\n",
        "c.yaml:2:13: error: unknown aspect 'half_precision': expected the name or number of an \
         aspect in 'enum class aspect'",
    ),
    (
        "a:\n  aspects: [gpu, 47]\n",
        "c.yaml:2:18: error: no aspect has the number 47; see 'enum class aspect' for the numbers",
    ),
    (
        "a:\n  aspects: [-1]\n",
        "c.yaml:2:13: error: no aspect has the number -1; see 'enum class aspect' for the numbers",
    ),
    (
        "a:\n  aspects: [99999999999]\n",
        "c.yaml:2:13: error: no aspect has the number 99999999999; see 'enum class aspect' for the \
         numbers",
    ),
    (
        "a:\n  aspects: [5.5]\n",
        "c.yaml:2:13: error: no aspect has the number 5.5; see 'enum class aspect' for the numbers",
    ),
    (
        "a:\n  aspects: [0x5]\n",
        "c.yaml:2:13: error: no aspect has the number 0x5; see 'enum class aspect' for the numbers",
    ),
    (
        "a:\n  aspects: ['5']\n",
        "c.yaml:2:13: error: unknown aspect '5': expected the name or number of an aspect in 'enum \
         class aspect'",
    ),
    (
        "a:\n  aspects: [gpu, ]\n  sub-group-sizes: 8\n",
        "c.yaml:3:20: error: found '8', expected a list of sub-group sizes as 'sub-group-sizes'",
    ),
    (
        "a:\n  aspects: [[gpu]]\n",
        "c.yaml:2:13: error: found a list, expected only aspects in 'aspects'",
    ),
    (
        "a:\n  aspects: [gpu, ~]\n",
        "c.yaml:2:18: error: the value is missing: expected only aspects in 'aspects'",
    ),
    (
        "a:\n  aspects:\n  - gpu\n  -\n",
        "c.yaml:4:4: error: the value is missing: expected only aspects in 'aspects'",
    ),
    ("a:\n  aspects: [FP16]\n", "c.yaml:2:13: error: unknown aspect 'FP16': did you mean 'fp16'?"),
    (
        "a:\n  aspects: [aspect::fp16]\n",
        "c.yaml:2:13: error: unknown aspect 'aspect::fp16': expected the name or number of an \
         aspect in 'enum class aspect'",
    ),
    (
        "a:\n  may_support_other_aspects: yes\n",
        "c.yaml:2:30: error: 'may_support_other_aspects' is 'yes', expected true or false",
    ),
    (
        "a:\n  may_support_other_aspects: 1\n",
        "c.yaml:2:30: error: 'may_support_other_aspects' is '1', expected true or false",
    ),
    (
        "a:\n  may_support_other_aspects: 'true'\n",
        "c.yaml:2:30: error: 'may_support_other_aspects' is the quoted text 'true', expected true \
         or false",
    ),
    (
        "a:\n  may_support_other_aspects:\n",
        "c.yaml:2:28: error: the value is missing: expected true or false as \
         'may_support_other_aspects'",
    ),
    (
        "a:\n  may_support_other_aspects: [true]\n",
        "c.yaml:2:30: error: found a list, expected true or false as 'may_support_other_aspects'",
    ),
    (
        "a:\n  may_support_other_aspects: true/false\n",
        "c.yaml:2:30: error: 'may_support_other_aspects' is 'true/false', expected true or false",
    ),
    (
        "a:\n  sub-group-sizes: [0]\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has '0', expected an integer from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: [-8]\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has '-8', expected an integer from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: [8, 2048]\n",
        "c.yaml:2:24: error: 'sub-group-sizes' has '2048', expected an integer from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: [eight]\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has 'eight', expected an integer from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: [8.0]\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has '8.0', expected an integer from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: ['8']\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has the quoted text '8', expected an integer from 1 \
         to 1024",
    ),
    (
        "a:\n  sub-group-sizes: [18446744073709551616]\n",
        "c.yaml:2:21: error: 'sub-group-sizes' has '18446744073709551616', expected an integer \
         from 1 to 1024",
    ),
    (
        "a:\n  sub-group-sizes: \"8\"\n",
        "c.yaml:2:20: error: found '8', expected a list of sub-group sizes as 'sub-group-sizes'",
    ),
    (
        "a:\n  aot-toolchain: [ocloc]\n",
        "c.yaml:2:18: error: found a list, expected the name of a compiler as 'aot-toolchain'",
    ),
    (
        "a:\n  aot-toolchain: ''\n",
        "c.yaml:2:18: error: 'aot-toolchain' is '', expected only the name of a compiler; put its \
         options into 'aot-toolchain-options'",
    ),
    (
        "a:\n  aot-toolchain: ocloc -device skl\n",
        "c.yaml:2:18: error: 'aot-toolchain' is 'ocloc -device skl', expected only the name of a \
         compiler; put its options into 'aot-toolchain-options'",
    ),
    (
        "a:\n  aot-toolchain:\n",
        "c.yaml:2:16: error: the value is missing: expected the name of a compiler as \
         'aot-toolchain'",
    ),
    (
        "a:\n  aot-toolchain-options: [-device, skl]\n",
        "c.yaml:2:26: error: found a list, expected text as 'aot-toolchain-options'",
    ),
    (
        "a:\n  aot-toolchain-options: {device: skl}\n",
        "c.yaml:2:26: error: found a mapping, expected text as 'aot-toolchain-options'",
    ),
    (
        "a:\n  aot-toolchain-options:\n",
        "c.yaml:2:24: error: the value is missing: expected text as 'aot-toolchain-options'",
    ),
    (
        "a:\n  max-work-group-size: 0\n",
        "c.yaml:2:24: error: 'max-work-group-size' has '0', expected an integer from 1 to \
         2147483648",
    ),
    (
        "a:\n  max-work-group-size: 4294967296\n",
        "c.yaml:2:24: error: 'max-work-group-size' has '4294967296', expected an integer from 1 to \
         2147483648",
    ),
    (
        "a:\n  max-work-group-size: big\n",
        "c.yaml:2:24: error: 'max-work-group-size' has 'big', expected an integer from 1 to \
         2147483648",
    ),
    (
        "a:\n  local-mem-size: 64K\n",
        "c.yaml:2:19: error: 'local-mem-size' has '64K', expected an integer from 1 to \
         1099511627776",
    ),
    (
        "a:\n  local-mem-size: [65536]\n",
        "c.yaml:2:19: error: found a list, expected a number as 'local-mem-size'",
    ),
    (
        "a:\n  local-mem-size: -1\n",
        "c.yaml:2:19: error: 'local-mem-size' has '-1', expected an integer from 1 to \
         1099511627776",
    ),
    (
        "a: &x\n  aspects: []\n",
        "c.yaml:1:4: error: anchors are not allowed in a device configuration",
    ),
    (
        "a:\n  aspects: &x [gpu]\nb:\n  aspects: *x\n",
        "c.yaml:2:12: error: anchors are not allowed in a device configuration",
    ),
    (
        "a:\n  aspects: *x\n",
        "c.yaml:2:12: error: invalid YAML: while parsing node, found unknown anchor",
    ),
    (
        "a: !mine\n  aspects: []\n",
        "c.yaml:1:4: error: tags are not allowed in a device configuration",
    ),
    (
        "a:\n  aspects: [!!str gpu]\n",
        "c.yaml:2:13: error: tags are not allowed in a device configuration",
    ),
    (
        "a: {aspects: []}\n---\nb: {aspects: []}\n",
        "c.yaml:2:1: error: found a second YAML document, expected one",
    ),
    (
        "<<: {aspects: []}\n",
        "c.yaml:1:1: error: '<<' is not a valid target name: expected at most 100 letters, digits, \
         '_', '-' and '.'",
    ),
    (
        "a:\n  <<: {aspects: []}\n",
        "c.yaml:2:3: error: unknown key '<<' of target 'a': expected one of 'aspects', \
         'may_support_other_aspects', 'sub-group-sizes', 'aot-toolchain', 'aot-toolchain-options', \
         'max-work-group-size', 'local-mem-size'",
    ),
    (
        "a:\n  aspects: [gpu]\n  # fine so far\n  sub-group-sizes: [8, 16, x32]\n",
        "c.yaml:4:28: error: 'sub-group-sizes' has 'x32', expected an integer from 1 to 1024",
    ),
];

#[test]
fn every_mistake_is_named_with_its_place_and_changes_nothing() {
    assert!(WRONG.len() >= 30);
    let mut failures = String::new();
    for (text, expected) in WRONG {
        // What comes before the mistake must not count either.
        let mut table = Table::embedded();
        let seen = match table.extend_with_yaml_text("c.yaml", text) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => {
                assert!(error.code.is_some(), "{error} has no code");
                Diagnostic { code: None, ..error }.to_string()
            }
        };
        if seen != *expected {
            failures += &format!("{text:?}\n  expected {expected}\n  seen     {seen}\n");
        }
        assert_eq!(table, Table::embedded(), "{text:?}");
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn nothing_of_a_file_counts_that_is_wrong_further_down() {
    let mut table = extended("kept:\n  aspects: [gpu]\n");
    let before = table.clone();
    table
        .extend_with_yaml_text(
            "c.yaml",
            "good:\n  aspects: [gpu]\nkept:\n  aspects: []\nbad:\n  aspects: [x]\n",
        )
        .unwrap_err();
    assert_eq!(table, before);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let mut table = Table::embedded();
    let error = table.extend_with_yaml("/nowhere/c.yaml").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nowhere/c.yaml: error: cannot read the device configuration: No such file or directory \
         [scythe-E0511]"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin1.yaml");
    std::fs::write(&path, b"a:\n  # \xe9\n  aspects: []\n").unwrap();
    let error = table.extend_with_yaml(&path).unwrap_err();
    let expected = "2:5: error: the device configuration is not UTF-8 text [scythe-E0512]";
    assert_eq!(error.to_string(), format!("{}:{expected}", path.display()));
}

#[test]
fn hostile_files_are_errors_in_no_time() {
    let nested = format!("a:\n  aspects: {}", "[".repeat(100_000));
    let deep = "- ".repeat(10_000);
    let quoted = format!("a: \"{}", "x".repeat(1_000_000));
    for text in [
        nested.as_str(),
        &deep,
        &quoted,
        "\0",
        "\u{1}",
        "a: &a [*a, *a]",
        "? ? ? ?",
        "%YAML 9.9\n---\na: b",
    ] {
        assert!(Table::embedded().extend_with_yaml_text("c.yaml", text).is_err());
    }
}

#[test]
fn no_file_makes_it_panic_hang_or_change_half_of_something() {
    let seed = "a: {aspects: [gpu, 5], sub-group-sizes: [8]}\nintel_gpu_x:\n  aspects:\n  - \
        fp16\n  - \"fp64\"\n  \
                may_support_other_aspects: true\n  aot-toolchain: 'x'\n  aot-toolchain-options: \
                >-\n    -a\n    -b\n# end\n";
    let pieces = [
        "\n", "  ", "\t", ":", "- ", "[", "]", "{", "}", ",", "\"", "'", "&a ", "*a", "!t ", "|",
        ">", "? ", "#", "---\n", "é", "\0",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..5_000 {
        let mut text: Vec<char> = seed.chars().collect();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.drain(at..(at + 1 + random(8)).min(text.len()))),
                1 => drop(text.splice(at..at, pieces[random(pieces.len())].chars())),
                _ => text.truncate(at.max(1)),
            }
            if text.is_empty() {
                text.push('x');
            }
        }
        let text: String = text.into_iter().collect();
        let mut table = Table::embedded();
        match table.extend_with_yaml_text("c.yaml", &text) {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(table, Table::embedded(), "{text:?}");
                let line = error.location.as_ref().map_or(0, |location| location.line);
                assert!(
                    line >= 1 && line as usize <= text.split('\n').count() + 1,
                    "{text:?}: {error}"
                );
            }
        }
    }
}

#[test]
fn bundle_ids_and_triples_mean_their_target() {
    let table = extended(
        "sycl-spir64_gen-unknown-unknown-skl:\n  sub-group-sizes: [8]\n\
         x86_64_avx2-unknown-unknown-sycldevice:\n  sub-group-sizes: [4]\n",
    );
    let sizes = |name: &str| table.lookup(name).expect("a target").sub_group_sizes.to_vec();
    assert_eq!((sizes("intel_gpu_skl"), sizes("x86_64_avx2")), (vec![8], vec![4]));
    assert_eq!(table.targets().count(), Table::embedded().targets().count());
}

#[test]
fn names_that_differ_in_case_alone_are_warned_of() {
    let text = "intel_gpu_SKL:\n  aspects: [gpu]\nmine:\n  aspects: [gpu]\nMine:\n  aspects: \
        [cpu]\nintel_gpu_tgl:\n  aspects: [gpu]\n";
    let mut table = Table::embedded();
    let warnings: Vec<String> = table
        .extend_with_yaml_text("c.yaml", text)
        .expect("sound")
        .iter()
        .map(|warning| warning.render())
        .collect();
    assert_eq!(
        warnings,
        [
            "c.yaml:1:1: warning: target 'intel_gpu_SKL' differs from 'intel_gpu_skl' only in \
             case; they are different targets\n",
            "c.yaml:5:1: warning: target 'Mine' differs from 'mine' only in case; they are \
             different targets\n",
        ]
    );
    assert_ne!(table.lookup("mine"), table.lookup("Mine"));
    assert_ne!(table.lookup("intel_gpu_skl"), table.lookup("intel_gpu_SKL"));
}

#[test]
fn files_of_many_targets_take_little_time() {
    let text: String =
        (0..20_000).map(|number| format!("t{number}:\n  aspects: [gpu]\n")).collect();
    let start = std::time::Instant::now();
    let table = extended(&text);
    assert_eq!(table.targets().count(), 20_000 + Table::embedded().targets().count());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

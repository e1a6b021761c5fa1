//! Reports of small sets of records.

use super::super::record;
use super::*;

fn records(text: &str) -> Records {
    let mut records = Records::default();
    record::parse(text, &mut records).expect("the records are well-formed");
    records
}

const FAST: &str = "\
== machine
| a GPU
== build fast 0
== run fast other 1 0 1.000 -
| Average kernel time: 90.0 (us)
| PASS
== run fast sycl 1 0 1.000 -
| Average kernel time: 50.0 (us)
| PASS
== run fast other 2 0 1.000 -
| Average kernel time: 80.0 (us)
== run fast sycl 2 0 1.000 -
| Average kernel time: 40.0 (us)
| PASS
";

#[test]
fn the_best_run_of_each_version_counts() {
    let report = Report::new(Kind::Gpu, &records(FAST), "");
    let row = &report.rows[0];
    assert!((row.ratio - 2.0).abs() < 1e-9 && row.lines == Some(1) && row.checked, "{row:?}");
    assert!(report.holds());
    let text = report.text();
    assert!(text.contains("| fast | 80.000 µs | 40.000 µs | 2.000 | 1 line | checked |"), "{text}");
    assert!(text.contains("a GPU"), "{text}");
    assert_eq!(text, Report::new(Kind::Gpu, &records(FAST), "").text());
}

#[test]
fn failures_are_not_measured() {
    for (text, reason) in [
        (
            "== build x 2\n| a.cu:1: error: y\n",
            "the CUDA version does not build: `a.cu:1: error: y`",
        ),
        ("== run x other 1 124 9 -\n", "the CUDA version exceeds the time of a run"),
        (
            "== run x other 1 0 1 -\n| time 3.5 s\n== run x sycl 1 1 1 -\n| what(): no /a/b.txt\n",
            "the SYCL version ends with status 1: `what(): no b.txt`",
        ),
        (
            "== run x other 1 0 1 -\n| time 3.5 s\n== run x sycl 1 0 1 -\n| time 3.5 s\n| FAIL\n",
            "the SYCL version finds wrong results: `FAIL`",
        ),
        (
            "== run x other 1 0 1 -\n| FAIL\n== run x sycl 1 0 1 -\n| FAIL\n",
            "both versions fail: CUDA version finds wrong results: `FAIL`",
        ),
        ("== build x 0\n", "it has not run"),
        (
            "== run x other 1 0 1 -\n| a\n== run x sycl 1 0 1 -\n| b\n",
            "it prints no time that both versions share and its digits resolve",
        ),
    ] {
        let report = Report::new(Kind::Gpu, &records(text), "");
        assert!(report.rows.is_empty(), "{text}");
        assert_eq!(report.others, [("x".to_owned(), reason.to_owned())], "{text}");
    }
}

#[test]
fn slow_programs_need_a_reason() {
    let slow = FAST.replace("40.0", "160.0").replace("50.0", "170.0").replace("fast", "slow");
    let both = records(&(FAST.to_owned() + &slow));
    assert!(!Report::new(Kind::Gpu, &both, "# slow | comment\n").holds());
    let report = Report::new(Kind::Gpu, &both, "slow | its source copies more\n");
    assert!(report.holds(), "{}", report.summary());
    assert!(report.text().contains("| slow | 0.500 | its source copies more |"));
    assert!(!Report::new(Kind::Cpu, &both, "").holds());
}

#[test]
fn processor_time_replaces_times_that_are_not_printed() {
    let text = "== run x other 1 0 3 3.000\n== run x sycl 1 0 1 1.500\n";
    let report = Report::new(Kind::Cpu, &records(text), "");
    assert_eq!((report.rows[0].ratio, report.rows[0].lines), (2.0, None));
    let short = text.replace("1.500", "0.050");
    assert!(Report::new(Kind::Cpu, &records(&short), "").rows.is_empty());
}

#[test]
fn a_later_run_may_exceed_its_time() {
    let text = FAST.to_owned() + "== run fast other 3 124 9 -\n";
    let report = Report::new(Kind::Gpu, &records(&text), "");
    assert!((report.rows[0].ratio - 2.0).abs() < 1e-9, "{report:?}");
}

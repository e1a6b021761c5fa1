//! Times in typical output of programs.

use super::*;

fn only(line: &str) -> (String, f64) {
    let mut found = of_line(line);
    assert_eq!(found.len(), 1, "{line}: {found:?}");
    let (text, time) = found.remove(0);
    (text, time.value)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

#[test]
fn units_follow_or_precede_the_number() {
    for (line, seconds) in [
        ("Average kernel execution time: 12.3 (us)", 12.3e-6),
        ("Average kernel execution time 0.250000 (ms)", 0.25e-3),
        ("Total time 0.5 s", 0.5),
        ("Device offloading time: 1.5 seconds", 1.5),
        ("Total kernel execution time: 2.5e+01 ms", 25e-3),
        ("elapsed time=3.25 ms", 3.25e-3),
        ("kernel time (ms) : 4.5", 4.5e-3),
        ("Time [us]: 80", 80e-6),
        ("Execution time in microseconds: 80", 80e-6),
        ("Kernel took 12us.", 12e-6),
        ("Average execution time of accuracy kernel: 99.5 (us)", 99.5e-6),
        ("Kernel 3 runtime: 7.5 msec", 7.5e-3),
        ("[1.5 ms]", 1.5e-3),
        ("launch: 3.5 us/kernel", 3.5e-6),
        ("size 1024 -> 33 µs", 33e-6),
    ] {
        assert!(near(only(line).1, seconds), "{line}: {:?}", only(line));
    }
}

#[test]
fn times_without_a_unit_keep_their_value() {
    assert_eq!(only("Total time: 12.5"), ("total time : #".to_owned(), 12.5));
    assert_eq!(only("Elapsed 3.5").1, 3.5);
}

#[test]
fn other_numbers_are_no_times() {
    for line in [
        "Bandwidth: 12.5 GB/s",
        "12.5 GB / s",
        "Throughput 3 Gflop/s at 4",
        "iterations 100",
        "Number of time steps: 100 of 7 GB",
        "checksum = 1.5",
        "Number of time steps: 100",
        "speed 3 m/s",
        "PASS",
        "",
        "CPU time: 3.5 ms",
        "Host execution time: 3.5 ms",
        "Verification took 3.5 s",
        "e5 1.2.3 ..",
    ] {
        assert_eq!(of_line(line), [], "{line}");
    }
}

#[test]
fn lines_with_rates_keep_their_time() {
    let (text, seconds) = only("float4 copy: time 2.5 ms, 800.5 GB/s");
    assert_eq!(text, "float4 copy : time # , # gb / s");
    assert!(near(seconds, 2.5e-3));
    let both = of_line("min 1.5 us max 2.5 us");
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].0, both[1].0);
}

#[test]
fn words_with_digits_are_words() {
    assert_eq!(only("conv1d_v2 time 1.5 s").0, "conv1d_v2 time #");
    assert_ne!(only("fp16 time 1.5 s").0, only("fp32 time 1.5 s").0);
}

#[test]
fn units_may_differ_between_versions() {
    let (cuda, sycl) = (times("Kernel time: 2.000 (ms)\n"), times("Kernel time: 1000.0 (us)\n"));
    let pairs = shared(&cuda, &sycl);
    assert_eq!(pairs.len(), 1);
    assert!(near(pairs[0].1.value / pairs[0].2.value, 2.0));
}

#[test]
fn equal_texts_pair_in_their_order() {
    let cuda = times("block 64: 1.25 ms\nblock 128: 2.25 ms\n");
    let sycl = times("block 64: 1.50 ms\nblock 128: 4.50 ms\n");
    let pairs = shared(&cuda, &sycl);
    let ratios: Vec<f64> = pairs.iter().map(|(_, a, b)| b.value / a.value).collect();
    assert!(near(ratios[0], 1.2) && near(ratios[1], 2.0), "{ratios:?}");
    let more = times("block 64: 1.50 ms\nblock 128: 4.50 ms\nblock 256: 7.50 ms\n");
    assert!(shared(&cuda, &more).is_empty());
}

#[test]
fn times_below_the_printed_resolution_do_not_count() {
    let (coarse, fine) = (times("time 0.003 s\n"), times("time 0.300 s\n"));
    assert!(shared(&coarse, &fine).is_empty());
    assert!(shared(&fine, &coarse).is_empty());
    assert_eq!(shared(&fine, &fine).len(), 1);
    let zero = times("time 0.000 s\ntime 0.300 s\n");
    assert_eq!(shared(&zero, &zero).len(), 1);
}

#[test]
fn times_of_kernels_come_before_others() {
    let text = "Total time 3.25 s\nKernel time 1.25 s\nCopy time 0.25 s\n";
    let pairs = shared(&times(text), &times(text));
    assert_eq!(pairs.iter().map(|(text, ..)| text.as_str()).collect::<Vec<_>>(), ["kernel time #"]);
}

#[test]
fn the_best_of_several_runs_counts() {
    let mut first = times("a time 3.5 s\nb time 1.5 s\n");
    best(&mut first, &times("a time 2.5 s\nb time 2.5 s\nc time 1.5 s\n"));
    assert_eq!(first.values().map(|time| time.value).collect::<Vec<_>>(), [2.5, 1.5]);
}

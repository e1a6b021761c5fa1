//! Tests of work-items that wait for each other: whole groups, parts of groups, groups with missing
//! work-items, and a reproducible order.

use super::*;

/// Calls a closure as a work-item.
unsafe extern "C" fn call<F: Fn(u64)>(ctx: *mut c_void, next: *mut u64, count: u64) {
    // SAFETY: `group` passes a pointer to an `F`, and `next` is valid for the call.
    unsafe {
        while *next < count {
            let item = *next;
            *next += 1;
            (*ctx.cast::<F>())(item);
        }
    }
}

fn group<F: Fn(u64)>(count: u64, item: F) -> Result<()> {
    // SAFETY: `call::<F>` takes a pointer to the closure, which outlives the call.
    unsafe { run(call::<F>, (&raw const item).cast_mut().cast(), count) }
}

#[test]
fn a_barrier_separates_what_is_before_from_what_is_after() {
    for count in [1, 2, 3, 64, 1000] {
        let seen = RefCell::new(Vec::new());
        group(count, |item| {
            for round in 0..3 {
                seen.borrow_mut().push((round, item));
                wait(0, 0);
            }
        })
        .expect("all meet");
        let seen = seen.into_inner();
        assert_eq!(seen.len() as u64, 3 * count);
        assert!(seen.is_sorted_by_key(|(round, _)| *round), "{count} work-items");
    }
}

#[test]
fn parts_of_a_group_meet_on_their_own() {
    let sums = RefCell::new(vec![0u64; 20]);
    group(20, |item| {
        let first = item / 8 * 8;
        let count = 8.min(20 - first);
        let mut value = item;
        let all = exchange(item, (&raw mut value).cast(), first, count);
        // SAFETY: all work-items of this part have stored the address of their number.
        sums.borrow_mut()[item as usize] =
            (0..count as usize).map(|i| unsafe { *(*all.add(i)).cast::<u64>() }).sum();
        wait(first, count);
    })
    .expect("all meet");
    let expected: Vec<u64> = (0..20u64).map(|i| (i / 8 * 8..20.min(i / 8 * 8 + 8)).sum()).collect();
    assert_eq!(sums.into_inner(), expected);
}

#[test]
fn groups_whose_items_do_not_meet_fail_and_the_thread_goes_on() {
    let error = group(10, |item| {
        if item != 3 {
            wait(0, 0);
        }
    })
    .expect_err("one work-item does not come");
    assert!(error.message.contains("9 of 10 wait"), "{}", error.message);
    group(10, |_| wait(0, 0)).expect("all meet");
}

#[test]
fn memory_is_shared_by_the_order_of_calls() {
    let seen = RefCell::new(Vec::new());
    group(5, |item| {
        let (a, b) = (memory(item, 64, 64), memory(item, 8, 8));
        assert!(a.addr() % 64 == 0 && !a.is_null() && !b.is_null() && a != b);
        seen.borrow_mut().push((a, b));
        wait(0, 0);
    })
    .expect("all meet");
    let seen = seen.into_inner();
    assert!(seen.iter().all(|pair| *pair == seen[0]));
    assert!(memory(0, 8, 8).is_null(), "nothing outside of a group");
}

#[test]
fn a_work_item_that_is_alone_waits_for_nobody() {
    wait(0, 0);
    wait(0, 5);
    let mut value = 7;
    let all = exchange(0, (&raw mut value).cast(), 0, 1);
    // SAFETY: for a single work-item, `exchange` returns the address of its own value.
    assert_eq!(unsafe { *(*all).cast::<i32>() }, 7);
    group(0, |_| unreachable!("no work-items")).expect("nothing to do");
}

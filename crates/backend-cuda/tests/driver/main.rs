//! Tests the backend with a fake driver without a device (`libcuda.c`): the calls that it makes,
//! and its handling of the results.

mod commands;
mod devices;
mod failures;
mod fake;
mod graphs;
mod virtual_memory;

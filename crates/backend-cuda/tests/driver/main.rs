//! The backend on a driver without a device (`libcuda.c`): what it asks of a driver, and what it
//! makes of the answers.

mod commands;
mod devices;
mod failures;
mod fake;

//! The driver as a program.

mod execution;
mod plans;
mod tree;

//! Tests the driver as a program.

mod execution;
mod prefix;
mod tree;

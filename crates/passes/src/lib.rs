//! IR passes on device modules: one pass, one file, one `run`.

pub mod target;

//! The clang plug-in: reads facts from the AST, reports errors in device code, normalises
//! attributes, writes the integration header and annotates IR. Clang generates the code.
//!
//! The modules in the order in which a translation unit passes through them:
//!
//! * [`plugin`]: the functions that the C++ shim calls. [`options`]: the arguments of the plug-in.
//! * [`normalise`]: replaces SYCL attributes in the tokens, before clang parses them. `tokens`
//!   connects it to the shim.
//! * [`facts`]: facts about the unit, as values. [`unit`] requests them from the shim (`ffi`), and
//!   `decode` copies them.
//! * [`reach`]: finds device code. [`diagnose`], [`functor`] and [`library`]: the rules of device
//!   code and of functors. [`errors`]: the table of errors.
//! * [`rows`]: functor layout → launch rows. [`call_site`]: the positions where kernels are
//!   submitted. [`int_header`] and [`header_layout`]: the integration header.
//! * [`free_function`]: functions of the program that are kernels.
//! * [`captures`]: lambdas whose layout differs between compilers.
//! * [`call_operator`]: the function of the program that a kernel runs.
//! * [`aspects`]: uses of optional features. [`attributes`]: places and arguments of attributes.
//!   [`warnings`]: `-W` options and pragmas.
//! * [`properties`]: the attributes that list properties.
//! * [`functor_layouts`]: the file of functor layouts that the driver compares.
//! * [`annotate`]: writes the facts into IR. [`lower`]: runs the IR passes.
//! * `host`: registers `device_global` variables in the host pass.
//! * [`compile`]: the two stages that call these modules.

pub mod annotate;
pub mod aspects;
pub mod attributes;
pub mod call_operator;
pub mod call_site;
pub mod captures;
pub mod compile;
mod decode;
pub mod diagnose;
pub mod errors;
pub mod facts;
mod ffi;
pub mod free_function;
pub mod functor;
pub mod functor_layouts;
pub mod header_layout;
mod header_types;
mod hints;
mod host;
pub mod int_header;
pub mod library;
pub mod lower;
pub mod normalise;
pub mod options;
pub mod plugin;
pub mod properties;
pub mod reach;
pub mod rows;
pub mod scratch;
mod tokens;
pub mod unit;
mod virtual_tables;
pub mod warnings;

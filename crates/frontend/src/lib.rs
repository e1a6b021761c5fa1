//! The clang plug-in: facts from the AST, device-code diagnostics, attribute normaliser,
//! integration header, IR annotation. It generates no code: clang does.
//!
//! In the order in which a translation unit passes through:
//!
//! * [`plugin`]: the functions that the C++ shim calls. [`options`]: the plug-in's arguments.
//! * [`normalise`]: makes SYCL's attributes readable in the unit's tokens, before clang parses
//!   them; `tokens` is its way to the shim.
//! * [`facts`]: what is known of the unit, as values; [`unit`] gets it from the shim (`ffi`).
//! * [`reach`]: which functions are device code. [`diagnose`], [`functor`], [`library`]: what they
//!   and functors must not do.
//! * [`rows`]: functor layout → launch rows. [`call_site`]: where kernels are submitted.
//!   [`int_header`]: the header.
//! * [`captures`]: which lambdas every compiler lays out alike.
//! * [`body`]: which function of the program a kernel is.
//! * [`aspects`]: which optional features functions use, and where. [`attributes`]: what attributes
//!   may say. [`warnings`]: `-W`.
//! * [`properties`]: what the attributes that list properties say.
//! * [`agreement`]: what each pass says of the functors, for the driver to compare.
//! * [`annotate`]: all of it into IR. [`lower`]: the passes that run here.
//! * [`host`]: what the host pass says of `device_global` variables.
//! * [`compile`]: the two stages that call all of these.

pub mod agreement;
pub mod annotate;
pub mod aspects;
pub mod attributes;
pub mod body;
pub mod call_site;
pub mod captures;
pub mod compile;
pub mod diagnose;
pub mod facts;
mod ffi;
pub mod functor;
pub mod header_layout;
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
mod tokens;
pub mod unit;
pub mod warnings;

//! Passes that only SPIR-V needs, before and after LLVM's back end.
//!
//! Before the back end, on LLVM IR:
//! * [`assertions`]: reports failed assertions and ends their work-items.
//! * [`events`]: gives events of group copies SPIR-V's type.
//! * [`intrinsics`], [`products`]: replace LLVM intrinsics that the back end does not translate.
//! * [`aggregates`], [`vectors`], [`layouts`], [`constants`], [`pointer_variables`]: replace types
//!   and constants that SPIR-V lacks.
//! * [`integers`], [`truncations`]: replace integers of widths that SPIR-V lacks.
//! * [`wide_types`], [`wide_division`], [`wide_integers`]: split integers of 65 to 128 bits into
//!   two words.
//!
//! After the back end, on the SPIR-V module ([`binary`]):
//! * [`labels`]: gives each block a unique id.
//! * [`decorations`]: adds decorations that the back end cannot emit. The pass begins before the
//!   back end.

pub mod aggregates;
pub mod assertions;
pub mod binary;
pub mod constants;
pub mod decorations;
pub mod events;
pub mod integers;
pub mod intrinsics;
pub mod labels;
pub mod layouts;
pub mod pointer_variables;
pub mod products;
pub mod truncations;
pub mod vectors;
pub mod wide_division;
pub mod wide_integers;
pub mod wide_types;

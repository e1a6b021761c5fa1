//! Passes for SPIR-V alone, before and after LLVM's back end.
//!
//! Before, on LLVM's IR:
//! * [`assertions`]: a failed assertion is reported, and ends its work-item.
//! * [`events`]: events of copies by a work-group get SPIR-V's type.
//! * [`intrinsics`], [`products`]: LLVM's intrinsics that the back end does not translate.
//! * [`aggregates`], [`vectors`], [`layouts`], [`constants`], [`pointer_variables`]: types and
//!   constants that SPIR-V lacks.
//! * [`integers`], [`truncations`]: integers of widths that SPIR-V lacks.
//! * [`wide_types`], [`wide_division`], [`wide_integers`]: integers of 65 to 128 bits, in two
//!   words.
//!
//! After, on the module in SPIR-V ([`binary`]):
//! * [`labels`]: each block gets an id of its own.
//! * [`decorations`]: what the back end cannot write. The pass begins before the back end.

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

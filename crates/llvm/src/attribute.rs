//! Attributes of functions, parameters, return values and call sites.

use crate::text::copy_string;
use crate::{Function, Instruction, Type};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Where an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Function,
    Return,
    /// The parameter with this index.
    Param(u32),
}

impl Place {
    fn index(self) -> llvm_sys::LLVMAttributeIndex {
        match self {
            Place::Function => llvm_sys::LLVMAttributeFunctionIndex,
            Place::Return => llvm_sys::LLVMAttributeReturnIndex,
            Place::Param(i) => i + 1,
        }
    }

    fn exists(self, params: usize) -> bool {
        !matches!(self, Place::Param(i) if i as usize >= params)
    }
}

/// What an attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeKind<'ctx> {
    /// By LLVM's number, with a value (0 where the attribute has none).
    Enum(u32, u64),
    Type(u32, Type<'ctx>),
    String(String, String),
    /// A form the C API does not look into, such as a constant range.
    Other,
}

/// An attribute, uniqued in its context.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attribute<'ctx> {
    raw: NonNull<llvm_sys::LLVMOpaqueAttributeRef>,
    life: PhantomData<&'ctx ()>,
}

impl<'ctx> Attribute<'ctx> {
    /// # Safety
    /// `raw` is an attribute of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMAttributeRef) -> Self {
        Self {
            raw: NonNull::new(raw).expect("LLVM gives no null attributes here"),
            life: PhantomData,
        }
    }

    fn ptr(self) -> LLVMAttributeRef {
        self.raw.as_ptr()
    }

    /// LLVM's number of a named attribute.
    pub fn kind_number(name: &str) -> Option<u32> {
        // SAFETY: a string with its length.
        let kind = unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) };
        (kind != 0).then_some(kind)
    }

    pub fn kind(self) -> AttributeKind<'ctx> {
        let raw = self.ptr();
        // SAFETY: a live attribute, asked for each form before its parts are read.
        unsafe {
            if LLVMIsEnumAttribute(raw) != 0 {
                AttributeKind::Enum(LLVMGetEnumAttributeKind(raw), LLVMGetEnumAttributeValue(raw))
            } else if LLVMIsTypeAttribute(raw) != 0 {
                AttributeKind::Type(
                    LLVMGetEnumAttributeKind(raw),
                    Type::from_raw(LLVMGetTypeAttributeValue(raw)),
                )
            } else if LLVMIsStringAttribute(raw) != 0 {
                let (mut key_len, mut value_len) = (0, 0);
                let key = LLVMGetStringAttributeKind(raw, &mut key_len);
                let value = LLVMGetStringAttributeValue(raw, &mut value_len);
                AttributeKind::String(
                    copy_string(key, key_len as usize),
                    copy_string(value, value_len as usize),
                )
            } else {
                AttributeKind::Other
            }
        }
    }

    /// The value of an attribute with one, such as `align`.
    pub fn int_value(self) -> Option<u64> {
        match self.kind() {
            AttributeKind::Enum(_, value) => Some(value),
            _ => None,
        }
    }

    /// The type of an attribute with one, such as `byval`.
    pub fn type_value(self) -> Option<Type<'ctx>> {
        match self.kind() {
            AttributeKind::Type(_, ty) => Some(ty),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.kind())
    }
}

impl<'ctx> Function<'ctx> {
    /// Adds (or replaces) an attribute. Nothing happens for a parameter that does not exist.
    pub fn add_attribute(self, place: Place, attribute: Attribute<'ctx>) {
        if place.exists(self.param_count()) {
            // SAFETY: live function and attribute, and a place it has.
            unsafe { LLVMAddAttributeAtIndex(self.ptr(), place.index(), attribute.ptr()) }
        }
    }

    pub fn attributes(self, place: Place) -> Vec<Attribute<'ctx>> {
        // SAFETY: live function; places it lacks have no attributes.
        let count = unsafe { LLVMGetAttributeCountAtIndex(self.ptr(), place.index()) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        // SAFETY: `raw` has room for all.
        unsafe { LLVMGetAttributesAtIndex(self.ptr(), place.index(), raw.as_mut_ptr()) };
        // SAFETY: attributes of the function's context.
        raw.into_iter().map(|a| unsafe { Attribute::from_raw(a) }).collect()
    }

    /// The attribute that LLVM knows by this name: enum or type attribute.
    pub fn enum_attribute(self, place: Place, name: &str) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name)?;
        // SAFETY: live function and a kind that LLVM gave; null when absent.
        let raw = unsafe { LLVMGetEnumAttributeAtIndex(self.ptr(), place.index(), kind) };
        // SAFETY: not null, then an attribute of the function's context.
        (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
    }

    /// The value of a string attribute.
    pub fn string_attribute(self, place: Place, name: &str) -> Option<String> {
        // SAFETY: live function and a string with its length; null when absent.
        let raw = unsafe {
            LLVMGetStringAttributeAtIndex(
                self.ptr(),
                place.index(),
                name.as_ptr().cast(),
                name.len() as u32,
            )
        };
        // SAFETY: not null, then an attribute of the function's context.
        let attribute = (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })?;
        match attribute.kind() {
            AttributeKind::String(_, value) => Some(value),
            _ => None,
        }
    }

    pub fn remove_enum_attribute(self, place: Place, name: &str) {
        if let (Some(kind), true) = (Attribute::kind_number(name), place.exists(self.param_count()))
        {
            // SAFETY: live function and a kind that LLVM gave.
            unsafe { LLVMRemoveEnumAttributeAtIndex(self.ptr(), place.index(), kind) }
        }
    }

    pub fn remove_string_attribute(self, place: Place, name: &str) {
        if place.exists(self.param_count()) {
            // SAFETY: live function and a string with its length.
            unsafe {
                LLVMRemoveStringAttributeAtIndex(
                    self.ptr(),
                    place.index(),
                    name.as_ptr().cast(),
                    name.len() as u32,
                )
            }
        }
    }

    /// Removes all attributes of one parameter.
    pub fn clear_param_attributes(self, index: u32) {
        if (index as usize) < self.param_count() {
            // SAFETY: live function and a parameter it has.
            unsafe { crate::shim::scythe_llvm_clear_parameter_attributes(self.ptr(), index) }
        }
    }

    /// Takes over from `from`: attributes of the function and of its return value, calling
    /// convention, visibility, section, alignment; not linkage, comdat, metadata, body, or anything
    /// of parameters, which may differ.
    pub fn copy_attributes_from(self, from: Function<'ctx>) {
        // SAFETY: live functions.
        unsafe {
            crate::shim::scythe_llvm_copy_function_attributes(self.ptr(), from.ptr());
            crate::shim::scythe_llvm_clear_all_parameter_attributes(self.ptr());
        }
    }
}

/// Attributes of calls. All do nothing, or find nothing, on other instructions.
impl<'ctx> Instruction<'ctx> {
    pub fn add_call_attribute(self, place: Place, attribute: Attribute<'ctx>) {
        if self.is_call() && place.exists(self.args().len()) {
            // SAFETY: live call and attribute, and a place it has.
            unsafe { LLVMAddCallSiteAttribute(self.ptr(), place.index(), attribute.ptr()) }
        }
    }

    pub fn call_attributes(self, place: Place) -> Vec<Attribute<'ctx>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: live call; places it lacks have no attributes.
        let count = unsafe { LLVMGetCallSiteAttributeCount(self.ptr(), place.index()) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        // SAFETY: `raw` has room for all.
        unsafe { LLVMGetCallSiteAttributes(self.ptr(), place.index(), raw.as_mut_ptr()) };
        // SAFETY: attributes of the call's context.
        raw.into_iter().map(|a| unsafe { Attribute::from_raw(a) }).collect()
    }

    pub fn call_enum_attribute(self, place: Place, name: &str) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name).filter(|_| self.is_call())?;
        // SAFETY: live call and a kind that LLVM gave; null when absent.
        let raw = unsafe { LLVMGetCallSiteEnumAttribute(self.ptr(), place.index(), kind) };
        // SAFETY: not null, then an attribute of the call's context.
        (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
    }

    pub fn remove_call_enum_attribute(self, place: Place, name: &str) {
        if let (Some(kind), true) =
            (Attribute::kind_number(name), self.is_call() && place.exists(self.args().len()))
        {
            // SAFETY: live call and a kind that LLVM gave.
            unsafe { LLVMRemoveCallSiteEnumAttribute(self.ptr(), place.index(), kind) }
        }
    }
}

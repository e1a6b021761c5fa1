//! Attributes of functions, parameters, return values and call sites.

use crate::text::copy_string;
use crate::{Function, Instruction, Type};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The position of an attribute.
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

/// The kind and the value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeKind<'ctx> {
    /// An enum attribute: LLVM's number and the value, which is 0 if the attribute has none.
    Enum(u32, u64),
    Type(u32, Type<'ctx>),
    String(String, String),
    /// A form that the C API cannot read, such as a constant range.
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
    /// `raw` must be an attribute of a context that lives for `'ctx`.
    pub(crate) unsafe fn from_raw(raw: LLVMAttributeRef) -> Self {
        Self {
            raw: NonNull::new(raw).expect("LLVM gives no null attributes here"),
            life: PhantomData,
        }
    }

    fn ptr(self) -> LLVMAttributeRef {
        self.raw.as_ptr()
    }

    /// Returns LLVM's number of a named attribute.
    pub fn kind_number(name: &str) -> Option<u32> {
        // SAFETY: the string has this length.
        let kind = unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) };
        (kind != 0).then_some(kind)
    }

    pub fn kind(self) -> AttributeKind<'ctx> {
        let raw = self.ptr();
        // SAFETY: the attribute is live, and its form is checked before its parts are read.
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

    /// Returns the value of an attribute with an integer value, such as `align`.
    pub fn int_value(self) -> Option<u64> {
        match self.kind() {
            AttributeKind::Enum(_, value) => Some(value),
            _ => None,
        }
    }

    /// Returns the type of an attribute with a type, such as `byval`.
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
    /// Adds or replaces an attribute. Does nothing if the parameter does not exist.
    pub fn add_attribute(self, place: Place, attribute: Attribute<'ctx>) {
        if place.exists(self.param_count()) {
            // SAFETY: the function and the attribute are live, and the function has this place.
            unsafe { LLVMAddAttributeAtIndex(self.ptr(), place.index(), attribute.ptr()) }
        }
    }

    pub fn attributes(self, place: Place) -> Vec<Attribute<'ctx>> {
        // SAFETY: the function is live. LLVM returns no attributes for a place that it does not
        // have.
        let count = unsafe { LLVMGetAttributeCountAtIndex(self.ptr(), place.index()) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        // SAFETY: `raw` has room for all attributes.
        unsafe { LLVMGetAttributesAtIndex(self.ptr(), place.index(), raw.as_mut_ptr()) };
        // SAFETY: LLVM filled the list with attributes of the function's context.
        raw.into_iter().map(|a| unsafe { Attribute::from_raw(a) }).collect()
    }

    /// Returns the enum or type attribute with this name.
    pub fn enum_attribute(self, place: Place, name: &str) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name)?;
        // SAFETY: the function is live, and LLVM returned the kind. LLVM returns null if there is
        // no such attribute.
        let raw = unsafe { LLVMGetEnumAttributeAtIndex(self.ptr(), place.index(), kind) };
        // SAFETY: if the pointer is not null, it is an attribute of the function's context.
        (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
    }

    /// Returns the value of a string attribute.
    pub fn string_attribute(self, place: Place, name: &str) -> Option<String> {
        // SAFETY: the function is live, and the string has this length. LLVM returns null if there
        // is no such attribute.
        let raw = unsafe {
            LLVMGetStringAttributeAtIndex(
                self.ptr(),
                place.index(),
                name.as_ptr().cast(),
                name.len() as u32,
            )
        };
        // SAFETY: if the pointer is not null, it is an attribute of the function's context.
        let attribute = (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })?;
        match attribute.kind() {
            AttributeKind::String(_, value) => Some(value),
            _ => None,
        }
    }

    pub fn remove_enum_attribute(self, place: Place, name: &str) {
        if let (Some(kind), true) = (Attribute::kind_number(name), place.exists(self.param_count()))
        {
            // SAFETY: the function is live, and LLVM returned the kind.
            unsafe { LLVMRemoveEnumAttributeAtIndex(self.ptr(), place.index(), kind) }
        }
    }

    pub fn remove_string_attribute(self, place: Place, name: &str) {
        if place.exists(self.param_count()) {
            // SAFETY: the function is live, and the string has this length.
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
            // SAFETY: the function is live and has this parameter.
            unsafe { crate::shim::scythe_llvm_clear_parameter_attributes(self.ptr(), index) }
        }
    }

    /// Copies the following from `from`: attributes of the function and of its return value,
    /// calling convention, visibility, section and alignment. Does not copy linkage, comdat,
    /// metadata, body, or attributes of parameters, because the parameters may differ.
    pub fn copy_attributes_from(self, from: Function<'ctx>) {
        // SAFETY: the functions are live.
        unsafe {
            crate::shim::scythe_llvm_copy_function_attributes(self.ptr(), from.ptr());
            crate::shim::scythe_llvm_clear_all_parameter_attributes(self.ptr());
        }
    }
}

/// Attributes of calls. On other instructions the setters do nothing and the getters find nothing.
impl<'ctx> Instruction<'ctx> {
    pub fn add_call_attribute(self, place: Place, attribute: Attribute<'ctx>) {
        if self.is_call() && place.exists(self.args().len()) {
            // SAFETY: the call and the attribute are live, and the call has this place.
            unsafe { LLVMAddCallSiteAttribute(self.ptr(), place.index(), attribute.ptr()) }
        }
    }

    pub fn call_attributes(self, place: Place) -> Vec<Attribute<'ctx>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: the call is live. LLVM returns no attributes for a place that it does not have.
        let count = unsafe { LLVMGetCallSiteAttributeCount(self.ptr(), place.index()) } as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        // SAFETY: `raw` has room for all attributes.
        unsafe { LLVMGetCallSiteAttributes(self.ptr(), place.index(), raw.as_mut_ptr()) };
        // SAFETY: LLVM filled the list with attributes of the call's context.
        raw.into_iter().map(|a| unsafe { Attribute::from_raw(a) }).collect()
    }

    pub fn call_enum_attribute(self, place: Place, name: &str) -> Option<Attribute<'ctx>> {
        let kind = Attribute::kind_number(name).filter(|_| self.is_call())?;
        // SAFETY: the call is live, and LLVM returned the kind. LLVM returns null if there is no
        // such attribute.
        let raw = unsafe { LLVMGetCallSiteEnumAttribute(self.ptr(), place.index(), kind) };
        // SAFETY: if the pointer is not null, it is an attribute of the call's context.
        (!raw.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
    }

    pub fn remove_call_enum_attribute(self, place: Place, name: &str) {
        if let (Some(kind), true) =
            (Attribute::kind_number(name), self.is_call() && place.exists(self.args().len()))
        {
            // SAFETY: the call is live, and LLVM returned the kind.
            unsafe { LLVMRemoveCallSiteEnumAttribute(self.ptr(), place.index(), kind) }
        }
    }
}

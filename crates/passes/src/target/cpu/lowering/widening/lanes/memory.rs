//! Widens loads, stores and private memory of a kernel.
//!
//! Neighbouring lanes at neighbouring addresses become one access, other lanes a gather or scatter.
//! Inactive lanes access no memory of the kernel.

use super::super::super::matrices;
use super::super::divergence::packed_size;
use super::{Form, Shape, Widener};
use scythe_llvm::{Instruction, IntPredicate, Opcode, Place, Type, Value};

/// Whether processors have gather and scatter instructions for elements of this type. For other
/// types LLVM emits a branch for each lane, and its compile time grows quadratically with the
/// number of lanes.
fn gathers(ty: Type<'_>) -> bool {
    packed_size(ty).is_some_and(|size| size >= 4)
}

impl<'ctx> Widener<'_, 'ctx> {
    pub(super) fn alloca(&mut self, i: Instruction<'ctx>) {
        let ty = i.allocated_type().expect("an allocation has a type");
        let space = i.ty().address_space().unwrap_or(0);
        debug_assert_eq!(space, 0, "x86 allocates in address space 0");
        let copies = if matrices::is_shared(i) { 1 } else { u64::from(self.lanes) };
        let slot = self.slots.alloca(ty.array(copies), "private");
        slot.set_align(i.alignment().max(64));
        self.set_scalar(i, slot.as_value());
    }

    /// Returns the address for a scalar access. If the access may run without an active lane, the
    /// address is that of a dummy slot in this case.
    pub(super) fn safe_pointer(
        &mut self,
        b: usize,
        pointer: Value<'ctx>,
        ty: Type<'ctx>,
        align: u32,
    ) -> Value<'ctx> {
        match self.masks[b] {
            Some(mask) if !self.plan.never_empty[b] => {
                let inactive_slot = self.inactive_slot(ty, pointer.ty(), align);
                self.builder.select(self.any(mask), pointer, inactive_slot, "")
            }
            _ => pointer,
        }
    }

    /// Returns the address of a dummy slot for accesses without an active lane, as a pointer of
    /// type `space`.
    pub(super) fn inactive_slot(
        &mut self,
        ty: Type<'ctx>,
        space: Type<'ctx>,
        align: u32,
    ) -> Value<'ctx> {
        let slot = self.slots.alloca(ty, "inactive_slot");
        slot.set_align(align.max(ty.abi_align(self.module).unwrap_or(1)));
        self.slots.store(ty.const_null(), slot.as_value());
        if space == slot.ty() {
            slot.as_value()
        } else {
            self.builder.cast(Opcode::LLVMAddrSpaceCast, slot.as_value(), space, "")
        }
    }

    pub(super) fn load(&mut self, b: usize, i: Instruction<'ctx>) {
        let pointer = i.operand(0).expect("a load has an address");
        if self.facts.shape(i.as_value()) == Shape::Uniform {
            let address = self.safe_pointer(b, self.scalar(pointer), i.ty(), i.alignment());
            let copy = self.copy(b, i);
            copy.set_operand(0, address);
            return self.set_scalar(i, copy.as_value());
        }
        let Some(size) = packed_size(i.ty()).filter(|_| !i.is_atomic() && !i.is_volatile()) else {
            return self.replicate(b, i);
        };
        match self.facts.shape(pointer) {
            Shape::Rows { along: 0, .. } if self.form(i.as_value()) == Form::Heads => {
                return self.load_heads(b, i);
            }
            Shape::Rows { along, down } if along == size => {
                return self.load_rows(b, i, size, down);
            }
            _ => {}
        }
        let wide = self.wide_type(i.ty());
        let new = if self.facts.shape(pointer) == Shape::Linear(size) {
            let address = self.scalar(pointer);
            match self.masks[b] {
                None => {
                    let load = self.builder.load(wide, address, "");
                    load.set_align(i.alignment());
                    load.as_value()
                }
                Some(mask) => self.masked_memory(
                    "llvm.masked.load",
                    &[wide, address.ty()],
                    &[address],
                    i.alignment(),
                    mask,
                    Some(wide),
                ),
            }
        } else {
            let addresses = self.vector(pointer);
            let mask = self.masks[b];
            let unless_wrapped = self.facts.shape(pointer) == Shape::LinearUnlessWrapped(size);
            self.either(unless_wrapped.then_some((addresses, size)), mask, &mut |this, first| {
                Some(match (first, mask) {
                    (Some(first), None) => {
                        let load = this.builder.load(wide, first, "");
                        load.set_align(i.alignment());
                        load.as_value()
                    }
                    (Some(first), Some(mask)) => this.masked_memory(
                        "llvm.masked.load",
                        &[wide, first.ty()],
                        &[first],
                        i.alignment(),
                        mask,
                        Some(wide),
                    ),
                    (None, _) => this.gather(i.ty(), addresses, mask, i.alignment()),
                })
            })
            .expect("a load gives a value")
        };
        self.set_vector(i, new);
    }

    pub(super) fn store(&mut self, b: usize, i: Instruction<'ctx>) {
        let (value, pointer) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let (vs, ps) = (self.facts.shape(value), self.facts.shape(pointer));
        let Some(size) = packed_size(value.ty()).filter(|_| !i.is_atomic() && !i.is_volatile())
        else {
            if vs == Shape::Uniform && ps == Shape::Uniform && !i.is_atomic() && !i.is_volatile() {
                return self.store_scalar(b, i);
            }
            return self.replicate(b, i);
        };
        match ps {
            Shape::Uniform if vs == Shape::Uniform => self.store_scalar(b, i),
            Shape::Linear(s) if s == size => {
                let (wide, address) = (self.vector(value), self.scalar(pointer));
                match self.masks[b] {
                    None => self.builder.store(wide, address).set_align(i.alignment()),
                    Some(mask) => {
                        let types = [wide.ty(), address.ty()];
                        self.masked_memory(
                            "llvm.masked.store",
                            &types,
                            &[wide, address],
                            i.alignment(),
                            mask,
                            None,
                        );
                    }
                }
            }
            Shape::Rows { along, down } if along == size => self.store_rows(b, i, size, down),
            _ => {
                let (wide, addresses) = (self.vector(value), self.vector(pointer));
                let mask = self.masks[b];
                let unless_wrapped = ps == Shape::LinearUnlessWrapped(size);
                self.either(
                    unless_wrapped.then_some((addresses, size)),
                    mask,
                    &mut |this, first| {
                        match (first, mask) {
                            (Some(first), None) => {
                                this.builder.store(wide, first).set_align(i.alignment())
                            }
                            (Some(first), Some(mask)) => {
                                let types = [wide.ty(), first.ty()];
                                this.masked_memory(
                                    "llvm.masked.store",
                                    &types,
                                    &[wide, first],
                                    i.alignment(),
                                    mask,
                                    None,
                                );
                            }
                            (None, _) => this.scatter(i, wide, addresses, mask),
                        }
                        None
                    },
                );
            }
        }
    }

    /// Loads from the address of each active lane.
    pub(super) fn gather(
        &mut self,
        ty: Type<'ctx>,
        addresses: Value<'ctx>,
        mask: Option<Value<'ctx>>,
        align: u32,
    ) -> Value<'ctx> {
        let wide = self.wide_type(ty);
        if !gathers(ty) {
            let addresses = self.safe_addresses(addresses, mask, ty, align);
            return (0..self.lanes).fold(wide.poison(), |all, lane| {
                let load = self.builder.load(ty, self.lane(addresses, lane), "");
                load.set_align(align);
                self.put_lane(all, load.as_value(), lane)
            });
        }
        self.unless_empty(mask, &mut |this| {
            let mask = mask.unwrap_or_else(|| this.all_ones());
            Some(this.masked_memory(
                "llvm.masked.gather",
                &[wide, addresses.ty()],
                &[addresses],
                align,
                mask,
                Some(wide),
            ))
        })
        .expect("a gather gives a value")
    }

    /// Emits `access`, and skips it if the mask may be empty and is. Processors spend dozens of
    /// cycles on a gather or a scatter, even if no lane is active.
    fn unless_empty(
        &mut self,
        mask: Option<Value<'ctx>>,
        access: &mut dyn FnMut(&mut Self) -> Option<Value<'ctx>>,
    ) -> Option<Value<'ctx>> {
        let Some(mask) = mask else { return access(self) };
        let from = self.builder.block().expect("the builder has an insertion block");
        let block = |this: &Self| this.context.append_block(this.new, "");
        let (some, after) = (block(self), block(self));
        // Inactive lanes are never poison in a mask of a block.
        self.builder.cond_br(self.any(mask), some, after);
        self.builder.position_at_end(some);
        let result = access(self);
        let end = self.builder.block().expect("the builder has an insertion block");
        self.builder.br(after);
        self.builder.position_at_end(after);
        let result = result?;
        let phi = self.builder.phi(result.ty(), "");
        phi.add_incoming(result, end);
        phi.add_incoming(result.ty().poison(), from);
        Some(phi.as_value())
    }

    /// Stores the element of each active lane of `wide` at its address, in the order of the lanes.
    fn scatter(
        &mut self,
        i: Instruction<'ctx>,
        wide: Value<'ctx>,
        addresses: Value<'ctx>,
        mask: Option<Value<'ctx>>,
    ) {
        let ty = i.operand(0).expect("a store has a value").ty();
        if !gathers(ty) {
            let addresses = self.safe_addresses(addresses, mask, ty, i.alignment());
            for lane in 0..self.lanes {
                let store = self.builder.store(self.lane(wide, lane), self.lane(addresses, lane));
                store.set_align(i.alignment());
            }
            return;
        }
        self.unless_empty(mask, &mut |this| {
            let mask = mask.unwrap_or_else(|| this.all_ones());
            let types = [wide.ty(), addresses.ty()];
            this.masked_memory(
                "llvm.masked.scatter",
                &types,
                &[wide, addresses],
                i.alignment(),
                mask,
                None,
            );
            None
        });
    }

    /// Returns the addresses, with a dummy slot for inactive lanes.
    fn safe_addresses(
        &mut self,
        addresses: Value<'ctx>,
        mask: Option<Value<'ctx>>,
        ty: Type<'ctx>,
        align: u32,
    ) -> Value<'ctx> {
        let Some(mask) = mask else { return addresses };
        let inactive_slot = self.inactive_slot(ty, addresses.ty().contained()[0], align);
        self.builder.select(mask, addresses, self.splat(inactive_slot), "")
    }

    /// Emits `access` twice: with the address of the first lane, for the case that the addresses
    /// are `size` bytes apart in the lanes of the mask, and without an address for the other case.
    /// If `unless_wrapped` is `None`, emits only the latter.
    pub(super) fn either(
        &mut self,
        unless_wrapped: Option<(Value<'ctx>, i64)>,
        mask: Option<Value<'ctx>>,
        access: &mut dyn FnMut(&mut Self, Option<Value<'ctx>>) -> Option<Value<'ctx>>,
    ) -> Option<Value<'ctx>> {
        let Some((addresses, size)) = unless_wrapped else { return access(self, None) };
        let (first, even) = match mask {
            None => self.are_evenly_spaced(addresses, size),
            Some(mask) => self.are_evenly_spaced_in_mask(addresses, size, mask),
        };
        let block = |this: &Self| this.context.append_block(this.new, "");
        let (yes, no, after) = (block(self), block(self), block(self));
        self.builder.cond_br(even, yes, no);
        let mut results = Vec::new();
        for (at, address) in [(yes, Some(first)), (no, None)] {
            self.builder.position_at_end(at);
            results.push((
                access(self, address),
                self.builder.block().expect("the builder has an insertion block"),
            ));
            self.builder.br(after);
        }
        self.builder.position_at_end(after);
        let (Some(a), Some(b)) = (results[0].0, results[1].0) else { return None };
        let phi = self.builder.phi(a.ty(), "");
        phi.add_incoming(a, results[0].1);
        phi.add_incoming(b, results[1].1);
        Some(phi.as_value())
    }

    /// Returns the address of the first lane, and whether the addresses of all lanes follow at a
    /// distance of `size`. It is enough to compare the address of the last lane.
    fn are_evenly_spaced(&self, addresses: Value<'ctx>, size: i64) -> (Value<'ctx>, Value<'ctx>) {
        let i64 = self.context.int_type(64);
        let first = self.builder.extract_element(addresses, self.int(0), "first");
        let last =
            self.builder.extract_element(addresses, self.int(u64::from(self.lanes - 1)), "last");
        let number = |v| self.builder.cast(Opcode::LLVMPtrToInt, v, i64, "");
        let span = self.builder.sub(number(last), number(first), "");
        let wanted = i64.const_int((i64::from(self.lanes) - 1).wrapping_mul(size) as u64);
        (first, self.builder.icmp(IntPredicate::LLVMIntEQ, span, wanted, "even"))
    }

    /// Does the same if lanes may be inactive. Inactive lanes hold arbitrary values, so every
    /// active lane is compared with the address that the first active lane predicts.
    fn are_evenly_spaced_in_mask(
        &self,
        addresses: Value<'ctx>,
        size: i64,
        mask: Value<'ctx>,
    ) -> (Value<'ctx>, Value<'ctx>) {
        let i64 = self.context.int_type(64);
        // Inactive lanes may be poison, and no branch may depend on poison.
        let numbers = self.builder.freeze(self.builder.cast(
            Opcode::LLVMPtrToInt,
            addresses,
            i64.vector(self.lanes),
            "",
        ));
        let origins = self.builder.sub(numbers, self.ramp(i64, size), "");
        let origin = self.builder.extract_element(origins, self.first_lane(mask), "origin");
        let off = self.builder.icmp(IntPredicate::LLVMIntNE, origins, self.splat(origin), "");
        let uneven = self.builder.select(mask, off, self.mask_type().const_null(), "");
        let even = self.builder.xor(self.any(uneven), self.context.const_int(1, 1), "even");
        (
            self.builder.cast(Opcode::LLVMIntToPtr, origin, addresses.ty().contained()[0], "first"),
            even,
        )
    }

    pub(super) fn store_scalar(&mut self, b: usize, i: Instruction<'ctx>) {
        let (value, pointer) = (i.operand(0).expect("in range"), i.operand(1).expect("in range"));
        let address = self.safe_pointer(b, self.scalar(pointer), value.ty(), i.alignment());
        let copy = self.copy(b, i);
        copy.set_operand(0, self.scalar(value));
        copy.set_operand(1, address);
    }

    /// Calls one of LLVM's masked memory intrinsics. The arguments are the operands, the mask and,
    /// for loads, the values of inactive lanes. The alignment is an attribute of the pointer.
    pub(super) fn masked_memory(
        &mut self,
        name: &str,
        types: &[Type<'ctx>],
        operands: &[Value<'ctx>],
        align: u32,
        mask: Value<'ctx>,
        result: Option<Type<'ctx>>,
    ) -> Value<'ctx> {
        let function =
            self.module.intrinsic(name, types).expect("LLVM knows its masked memory intrinsics");
        let mut args = operands.to_vec();
        args.push(mask);
        if let Some(ty) = result {
            args.push(ty.poison());
        }
        let call = self.builder.call(function, &args, "");
        let align = self.context.enum_attribute("align", u64::from(align));
        if let Some(attribute) = align {
            let at = operands.len() as u32 - 1;
            call.add_call_attribute(Place::Param(at), attribute);
        }
        call.as_value()
    }
}

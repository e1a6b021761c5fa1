//! Joint matrices on NVIDIA GPUs: the `wmma` instructions of tensor cores.
//!
//! The memory of a matrix holds the registers of the work-item's fragment, one after the other. The
//! optimiser turns it into registers. A work-item's elements are those of its fragment. Their
//! places in the matrix are unknown, and may differ between types of matrices.

use crate::target::common::matrices::{
    self, Element, Kind, Layout, Matrix, Operation, PREFIX, Use, product, without_casts,
};
use crate::target::nvptx::NvptxError;
use scythe_llvm::{
    Builder, Function, Instruction, Module, Opcode, PassOptions, Place, TargetMachine, Type, Value,
    run_function_passes,
};
use std::fmt;

/// Passes that find the address spaces of matrices in memory.
const FIND_ADDRESS_SPACES: &str =
    "sroa<modify-cfg>,early-cse,instcombine<no-verify-fixpoint>,infer-address-spaces";

/// A use of matrices that a device does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    Matrix(Matrix),
    /// D, A and B of a product.
    Product(Box<[Matrix; 3]>),
    /// A layout of A or B, or of an accumulator in memory.
    Packed,
    /// The elements of both matrices must be at the same places.
    Apart(Box<[Matrix; 2]>),
    /// The operands of an operation are not constants.
    Unknown,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix(matrix) => write!(f, "has a joint_matrix of {matrix}"),
            Self::Product(matrices) => {
                let [d, a, b] = &**matrices;
                write!(f, "multiplies joint matrices of {a} and {b} to {d}")
            }
            Self::Packed => f.write_str("uses layout::ext_intel_packed"),
            Self::Apart(matrices) => {
                let [a, b] = &**matrices;
                write!(
                    f,
                    "combines the elements of joint matrices of {a} and {b}, which work-items hold \
                     at different places"
                )
            }
            Self::Unknown => f.write_str("uses a layout of joint matrices that is not a constant"),
        }
    }
}

/// Replaces the operations on matrices in all functions. `sm` is the number of the architecture.
pub fn run(module: &Module<'_>, machine: &TargetMachine, sm: u32) -> Result<(), NvptxError> {
    let used = module.functions().any(|f| f.name().starts_with(PREFIX) && f.has_uses());
    if !used {
        return Ok(());
    }
    let functions = module.functions().filter(|f| !f.is_declaration());
    for function in functions.filter(|&f| operations(f).next().is_some()).collect::<Vec<_>>() {
        for name in ["optnone", "noinline"] {
            function.remove_enum_attribute(Place::Function, name);
        }
        run_function_passes(function, FIND_ADDRESS_SPACES, Some(machine), PassOptions::default())?;
        let builder = module.context().create_builder();
        let lowering = Lowering { module, builder: &builder, sm };
        for (name, call) in operations(function).collect::<Vec<_>>() {
            builder.position_before(call);
            let result = lowering
                .replace(&name, &call.args())
                .map_err(|what| NvptxError::Matrix { function: function.name(), what, sm })?;
            if let Some(result) = result {
                call.replace_all_uses_with(result);
            }
            call.erase();
        }
    }
    Ok(())
}

fn operations<'ctx>(function: Function<'ctx>) -> impl Iterator<Item = (String, Instruction<'ctx>)> {
    function.instructions().filter_map(|i| {
        let name = i.called_function().filter(|_| i.is_call())?.name();
        Some((name.strip_prefix(PREFIX)?.to_owned(), i))
    })
}

/// The sizes of a product, as instructions name them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sizes(u64, u64, u64);

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.0, self.1, self.2)
    }
}

/// Returns the name of an element type in instructions, and the first architecture that multiplies
/// matrices of it.
fn instruction_type(element: Element) -> (&'static str, u32) {
    match element {
        Element::Fp16 => ("f16", 70),
        Element::Fp32 => ("f32", 70),
        Element::Sint8 => ("s8", 72),
        Element::Uint8 => ("u8", 72),
        Element::Sint32 => ("s32", 72),
        Element::Bf16 => ("bf16", 80),
        Element::Tf32 => ("tf32", 80),
        Element::Fp64 => ("f64", 80),
    }
}

/// Returns the sizes of the products in which a matrix takes part. The fragments of an accumulator
/// are the same in products of different K.
fn sizes(of: Matrix) -> Option<Sizes> {
    let Kind { element, usage, .. } = of.kind;
    let known: &[Sizes] = match (element, usage) {
        (Element::Fp64, _) => &[Sizes(8, 8, 4)],
        (Element::Tf32, Use::A | Use::B) => &[Sizes(16, 16, 8)],
        (Element::Fp16, _)
        | (Element::Bf16 | Element::Sint8 | Element::Uint8, Use::A | Use::B)
        | (Element::Fp32 | Element::Sint32, Use::Accumulator) => {
            &[Sizes(16, 16, 16), Sizes(8, 32, 16), Sizes(32, 8, 16)]
        }
        _ => &[],
    };
    let extent = |Sizes(m, n, k): Sizes| match usage {
        Use::A => (m, k),
        Use::B => (k, n),
        Use::Accumulator => (m, n),
    };
    known.iter().copied().find(|&sizes| extent(sizes) == (of.rows, of.cols))
}

fn order(layout: Layout) -> Result<&'static str, Unavailable> {
    match layout {
        Layout::RowMajor => Ok("row"),
        Layout::ColMajor => Ok("col"),
        Layout::Packed | Layout::Dynamic => Err(Unavailable::Packed),
    }
}

/// The parts of a result or of a list of parameters.
fn parts<'ctx>(ty: Type<'ctx>) -> Vec<Type<'ctx>> {
    if ty.is_struct() { ty.contained() } else { vec![ty] }
}

struct Lowering<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    sm: u32,
}

impl<'ctx> Lowering<'_, 'ctx> {
    /// Emits the code of an operation, and returns its result.
    fn replace(
        &self,
        name: &str,
        args: &[Value<'ctx>],
    ) -> Result<Option<Value<'ctx>>, Unavailable> {
        let int = |n: u64| Some(self.module.context().const_int(32, n));
        let matrix = |at: usize| matrices::matrix(&args[at..]).ok_or(Unavailable::Unknown);
        let kind = |at: usize| matrices::kind(args[at]).ok_or(Unavailable::Unknown);
        match Operation::parse(&format!("{PREFIX}{name}")) {
            Some(Operation::Load) => self.load(args, matrix(4)?).map(|()| None),
            Some(Operation::Store) => self.store(args, matrix(4)?).map(|()| None),
            Some(Operation::Fill) => self.fill(args, matrix(2)?).map(|()| None),
            Some(Operation::Mad) => self.multiply(args).map(|()| None),
            None => match name {
                "first" => Ok(int(0)),
                "step" => Ok(int(1)),
                "end" => {
                    let of = matrix(0)?;
                    let bytes: u64 = self.registers(of)?.iter().map(|ty| self.size(*ty)).sum();
                    Ok(int(bytes / of.kind.element.bytes()))
                }
                "together" => {
                    let at = |kind: Value<'ctx>| matrices::matrix(&[kind, args[2], args[3]]);
                    let (Some(a), Some(b)) = (at(args[0]), at(args[1])) else {
                        return Err(Unavailable::Unknown);
                    };
                    if a != b {
                        return Err(Unavailable::Apart(Box::new([a, b])));
                    }
                    Ok(None)
                }
                _ if name.starts_with("get_") => {
                    Ok(Some(self.get(args[0], args[1], kind(2)?.element, name)))
                }
                _ if name.starts_with("set_") => {
                    self.set(args[0], args[1], args[2], kind(3)?.element);
                    Ok(None)
                }
                _ => Err(Unavailable::Unknown),
            },
        }
    }

    fn size(&self, ty: Type<'ctx>) -> u64 {
        ty.alloc_size(self.module).unwrap_or(0)
    }

    /// Returns the sizes of products with this matrix on this device.
    fn sizes(&self, of: Matrix) -> Result<Sizes, Unavailable> {
        let first = instruction_type(of.kind.element).1;
        sizes(of).filter(|_| self.sm >= first).ok_or(Unavailable::Matrix(of))
    }

    fn intrinsic(&self, name: &str, types: &[Type<'ctx>]) -> Option<Function<'ctx>> {
        self.module.intrinsic(&format!("llvm.nvvm.wmma.{name}"), types)
    }

    /// Returns the instruction that loads a matrix from a pointer of type `pointer`.
    fn loading(
        &self,
        of: Matrix,
        layout: Layout,
        pointer: Type<'ctx>,
    ) -> Result<Function<'ctx>, Unavailable> {
        let usage = match of.kind.usage {
            Use::A => "a",
            Use::B => "b",
            Use::Accumulator => "c",
        };
        let (sizes, order) = (self.sizes(of)?, order(layout)?);
        let ty = instruction_type(of.kind.element).0;
        let name = format!("{sizes}.load.{usage}.{order}.stride.{ty}");
        self.intrinsic(&name, &[pointer]).ok_or(Unavailable::Matrix(of))
    }

    /// Returns the types of the registers of a fragment.
    fn registers(&self, of: Matrix) -> Result<Vec<Type<'ctx>>, Unavailable> {
        let pointer = self.module.context().ptr_type(0);
        let load = self.loading(of, Layout::RowMajor, pointer)?;
        Ok(parts(load.return_type()))
    }

    /// Returns the addresses of registers of these types in the memory of a matrix.
    fn places(&self, matrix: Value<'ctx>, types: &[Type<'ctx>]) -> Vec<Value<'ctx>> {
        let context = self.module.context();
        let mut offset = 0;
        let mut places = Vec::with_capacity(types.len());
        for &ty in types {
            places.push(self.builder.byte_offset(context, matrix, offset, ""));
            offset += self.size(ty);
        }
        places
    }

    fn read(&self, matrix: Value<'ctx>, types: &[Type<'ctx>]) -> Vec<Value<'ctx>> {
        let places = self.places(without_casts(matrix), types);
        let load =
            |(place, ty): (Value<'ctx>, &Type<'ctx>)| self.builder.load(*ty, place, "").as_value();
        places.into_iter().zip(types).map(load).collect()
    }

    /// Stores the registers that an instruction returns.
    fn keep(&self, matrix: Value<'ctx>, result: Value<'ctx>) {
        let types = parts(result.ty());
        let places = self.places(without_casts(matrix), &types);
        for (n, place) in places.into_iter().enumerate() {
            let one = match result.ty().is_struct() {
                true => self.builder.extract_value(result, n as u32, ""),
                false => result,
            };
            self.builder.store(one, place);
        }
    }

    /// Returns the address of memory in its address space, and the stride as instructions take it.
    fn memory(&self, args: &[Value<'ctx>]) -> [Value<'ctx>; 2] {
        let stride = self.builder.trunc(args[2], self.module.context().int_type(32), "");
        [self.in_its_space(args[1]), stride]
    }

    /// Returns an address as a pointer to the address space from which it was computed.
    fn in_its_space(&self, pointer: Value<'ctx>) -> Value<'ctx> {
        let pointer = without_casts(pointer);
        let step = pointer.as_instruction().filter(|i| i.opcode() == Opcode::LLVMGetElementPtr);
        let Some(step) = step else { return pointer };
        let (Some(base), Some(ty)) = (step.operand(0), step.gep_source_type()) else {
            return pointer;
        };
        let inner = self.in_its_space(base);
        if inner.ty() == base.ty() {
            return pointer;
        }
        let indices: Vec<_> = step.operands().skip(1).collect();
        self.builder.gep(ty, inner, &indices, "")
    }

    fn load(&self, args: &[Value<'ctx>], of: Matrix) -> Result<(), Unavailable> {
        let [memory, stride] = self.memory(args);
        let layout = matrices::layout(args[3]).ok_or(Unavailable::Unknown)?;
        let load = self.loading(of, layout, memory.ty())?;
        self.keep(args[0], self.builder.call(load, &[memory, stride], "").as_value());
        Ok(())
    }

    fn store(&self, args: &[Value<'ctx>], of: Matrix) -> Result<(), Unavailable> {
        let [memory, stride] = self.memory(args);
        let layout = matrices::layout(args[3]).ok_or(Unavailable::Unknown)?;
        let (sizes, order) = (self.sizes(of)?, order(layout)?);
        let ty = instruction_type(of.kind.element).0;
        let name = format!("{sizes}.store.d.{order}.stride.{ty}");
        let store = self.intrinsic(&name, &[memory.ty()]).filter(|_| {
            // Only accumulators can be stored.
            of.kind.usage == Use::Accumulator
        });
        let store = store.ok_or(Unavailable::Matrix(of))?;
        let operands = [vec![memory], self.read(args[0], &self.registers(of)?), vec![stride]];
        self.builder.call(store, &operands.concat(), "");
        Ok(())
    }

    fn multiply(&self, args: &[Value<'ctx>]) -> Result<(), Unavailable> {
        let [d, a, b, c] = product(args).ok_or(Unavailable::Unknown)?;
        let unavailable = || Unavailable::Product(Box::new([d, a, b]));
        let ty = |of: Matrix| instruction_type(of.kind.element).0;
        let types = match a.kind.element {
            Element::Fp16 => format!("{}.{}", ty(d), ty(c)),
            _ if c.kind.element == accumulator(a.kind.element) && c.kind == d.kind => {
                ty(a).to_owned()
            }
            _ => return Err(unavailable()),
        };
        let sizes = self.sizes(a)?;
        if a.kind.element != b.kind.element || self.sizes(b)? != sizes || d.rows != a.rows {
            return Err(unavailable());
        }
        let (left, right) = (order(a.kind.layout)?, order(b.kind.layout)?);
        let name = format!("{sizes}.mma.{left}.{right}.{types}");
        let multiply = self.intrinsic(&name, &[]).ok_or_else(unavailable)?;
        let operands = [(args[1], a), (args[2], b), (args[3], c)];
        let mut registers = Vec::new();
        for (matrix, of) in operands {
            registers.extend(self.read(matrix, &self.registers(of)?));
        }
        self.keep(args[0], self.builder.call(multiply, &registers, "").as_value());
        Ok(())
    }

    /// Converts a value of the headers to the bits of an element.
    fn element(&self, value: Value<'ctx>, element: Element) -> Value<'ctx> {
        let context = self.module.context();
        match element {
            Element::Fp16 => self.builder.fp_trunc(value, context.half_type(), ""),
            Element::Bf16 => {
                let int = context.int_type(32);
                let bits = self.builder.bit_cast(value, int, "");
                let bits = self.builder.lshr(bits, int.const_int(16), "");
                self.builder.trunc(bits, context.int_type(16), "")
            }
            Element::Sint8 | Element::Uint8 => self.builder.trunc(value, context.int_type(8), ""),
            _ => value,
        }
    }

    /// Returns the address of an element of the fragment.
    fn place(&self, matrix: Value<'ctx>, number: Value<'ctx>, element: Element) -> Value<'ctx> {
        let ty = self.module.context().int_type(8 * element.bytes() as u32);
        self.builder.gep(ty, without_casts(matrix), &[number], "")
    }

    fn get(
        &self,
        matrix: Value<'ctx>,
        number: Value<'ctx>,
        element: Element,
        name: &str,
    ) -> Value<'ctx> {
        let context = self.module.context();
        let (float, int) = (context.float_type(), context.int_type(32));
        let place = self.place(matrix, number, element);
        let load = |ty| self.builder.load(ty, place, "").as_value();
        match element {
            Element::Fp16 => self.builder.fp_ext(load(context.half_type()), float, ""),
            Element::Bf16 => {
                let bits = self.builder.zext(load(context.int_type(16)), int, "");
                let bits = self.builder.shl(bits, int.const_int(16), "");
                self.builder.bit_cast(bits, float, "")
            }
            Element::Sint8 => self.builder.sext(load(context.int_type(8)), int, ""),
            Element::Uint8 => self.builder.zext(load(context.int_type(8)), int, ""),
            _ if name.ends_with("f64") => load(context.double_type()),
            _ if name.ends_with("f32") => load(float),
            _ => load(int),
        }
    }

    fn set(&self, matrix: Value<'ctx>, number: Value<'ctx>, value: Value<'ctx>, of: Element) {
        let place = self.place(matrix, number, of);
        self.builder.store(self.element(value, of), place);
    }

    fn fill(&self, args: &[Value<'ctx>], of: Matrix) -> Result<(), Unavailable> {
        let element = self.element(args[1], of.kind.element);
        let context = self.module.context();
        let types = self.registers(of)?;
        let places = self.places(without_casts(args[0]), &types);
        for (place, ty) in places.into_iter().zip(types) {
            let count = self.size(ty) / of.kind.element.bytes();
            let all = (0..count).fold(element.ty().vector(count as u32).poison(), |all, n| {
                self.builder.insert_element(all, element, context.const_int(32, n), "")
            });
            self.builder.store(self.builder.bit_cast(all, ty, ""), place);
        }
        Ok(())
    }
}

/// Returns the type of the accumulators of products of an element type other than half.
fn accumulator(element: Element) -> Element {
    match element {
        Element::Sint8 | Element::Uint8 => Element::Sint32,
        Element::Fp64 => Element::Fp64,
        _ => Element::Fp32,
    }
}

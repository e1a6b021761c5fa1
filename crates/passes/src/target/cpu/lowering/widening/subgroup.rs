//! Implements sub-group primitives as vector code: a sub-group consists of the lanes of one item.
//!
//! docs/contracts.md lists the names as `__scythe_sg_…`. Reductions and scans combine values in a
//! tree, not in the order of the lanes: only operations that do not depend on the order give the
//! result of a sequential evaluation. A kernel that cannot be widened has sub-groups of one work-
//! item: [`make_single`] resolves all primitives accordingly.

use crate::target::common::queries::{self, Query};
use scythe_llvm::{Builder, Function, Instruction, Module, Opcode, Type, Value, const_vector};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    Broadcast,
    Any,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Signed,
    Unsigned,
    Float,
}

/// A sub-group primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    pub kind: Kind,
    /// The operation of a reduction or scan.
    pub operation: Option<(Operation, Number)>,
}

impl Primitive {
    /// Returns the primitive with this name.
    pub fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("__scythe_sg_")?;
        let plain = |kind| Some(Self { kind, operation: None });
        match rest {
            "any" => return plain(Kind::Any),
            "all" => return plain(Kind::All),
            _ => {}
        }
        let (head, ty) = rest.rsplit_once('_')?;
        let number = match ty.as_bytes().first()? {
            b's' => Number::Signed,
            b'u' => Number::Unsigned,
            b'f' => Number::Float,
            _ => return None,
        };
        match head {
            "shuffle" => return plain(Kind::Shuffle),
            "shuffle_xor" => return plain(Kind::ShuffleXor),
            "shuffle_up" => return plain(Kind::ShuffleUp),
            "shuffle_down" => return plain(Kind::ShuffleDown),
            "broadcast" => return plain(Kind::Broadcast),
            _ => {}
        }
        let (kind, operation) = head.split_once('_')?;
        let kind = match kind {
            "reduce" => Kind::Reduce,
            "inscan" => Kind::InclusiveScan,
            "exscan" => Kind::ExclusiveScan,
            _ => return None,
        };
        let operation = match operation {
            "add" => Operation::Add,
            "mul" => Operation::Mul,
            "min" => Operation::Min,
            "max" => Operation::Max,
            "and" => Operation::And,
            "or" => Operation::Or,
            "xor" => Operation::Xor,
            _ => return None,
        };
        Some(Self { kind, operation: Some((operation, number)) })
    }

    /// Whether all lanes get the same result.
    pub fn is_uniform(self) -> bool {
        matches!(self.kind, Kind::Reduce | Kind::Broadcast | Kind::Any | Kind::All)
    }
}

/// Combines two values of the same type (scalars or vectors).
pub fn combine<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    (operation, number): (Operation, Number),
    a: Value<'ctx>,
    b: Value<'ctx>,
) -> Value<'ctx> {
    let float = number == Number::Float;
    let intrinsic = |name: &str| {
        let function = module.intrinsic(name, &[a.ty()]).expect("LLVM knows minimum and maximum");
        builder.call(function, &[a, b], "").as_value()
    };
    match operation {
        Operation::Add => {
            builder.binary(if float { Opcode::LLVMFAdd } else { Opcode::LLVMAdd }, a, b, "")
        }
        Operation::Mul => {
            builder.binary(if float { Opcode::LLVMFMul } else { Opcode::LLVMMul }, a, b, "")
        }
        Operation::And => builder.binary(Opcode::LLVMAnd, a, b, ""),
        Operation::Or => builder.binary(Opcode::LLVMOr, a, b, ""),
        Operation::Xor => builder.binary(Opcode::LLVMXor, a, b, ""),
        Operation::Min => intrinsic(match number {
            Number::Signed => "llvm.smin",
            Number::Unsigned => "llvm.umin",
            Number::Float => "llvm.minnum",
        }),
        Operation::Max => intrinsic(match number {
            Number::Signed => "llvm.smax",
            Number::Unsigned => "llvm.umax",
            Number::Float => "llvm.maxnum",
        }),
    }
}

/// Returns the identity element of the operation, for a scalar type.
pub fn identity<'ctx>((operation, number): (Operation, Number), ty: Type<'ctx>) -> Value<'ctx> {
    if number == Number::Float {
        return match operation {
            Operation::Mul => ty.const_real(1.0),
            Operation::Min => ty.const_real(f64::INFINITY),
            Operation::Max => ty.const_real(f64::NEG_INFINITY),
            _ => ty.const_real(-0.0),
        };
    }
    let width = ty.int_width().unwrap_or(64);
    let ones = u64::MAX >> (64 - width);
    let signed_min = 1u64 << (width - 1);
    ty.const_int(match (operation, number) {
        (Operation::Mul, _) => 1,
        (Operation::And, _) => ones,
        (Operation::Min, Number::Signed) => ones >> 1,
        (Operation::Min, _) => ones,
        (Operation::Max, Number::Signed) => signed_min,
        _ => 0,
    })
}

/// Rearranges the lanes of `a` followed by those of `b` in a constant order.
pub fn permute<'ctx>(
    builder: &Builder<'ctx>,
    a: Value<'ctx>,
    b: Value<'ctx>,
    order: &[u64],
) -> Value<'ctx> {
    let i32 = a.ty().context().int_type(32);
    builder.shuffle(
        a,
        b,
        const_vector(&order.iter().map(|&n| i32.const_int(n)).collect::<Vec<_>>()),
    )
}

/// The execution scope of a sub-group barrier.
const SUB_GROUP_SCOPE: u64 = 3;

/// Removes sub-group barriers from a function that runs a whole sub-group: its lanes are always
/// synchronised.
pub fn erase_barriers<'ctx>(function: Function<'ctx>) {
    let of_sub_group = |call: &Instruction<'ctx>| {
        call.args()
            .first()
            .and_then(|scope| scope.const_int_value())
            .is_some_and(|scope| scope == SUB_GROUP_SCOPE)
    };
    let calls: Vec<Instruction<'ctx>> =
        super::group::barriers(function).filter(of_sub_group).collect();
    calls.into_iter().for_each(Instruction::erase);
}

/// Resolves primitives and queries for sub-groups of one work-item, in a function that stays
/// scalar.
pub fn make_single<'ctx>(module: &Module<'ctx>, function: Function<'ctx>) {
    erase_barriers(function);
    let calls: Vec<Instruction<'ctx>> =
        function.instructions().filter(|i| i.called_function().is_some()).collect();
    let context = module.context();
    for call in calls {
        let name = call.called_function().expect("filtered").name();
        let one = |n: u64| context.const_int(32, n);
        let new = match queries::parse(&name) {
            Some(Query::SubgroupSize | Query::SubgroupMaxSize) => one(1),
            Some(Query::SubgroupLocalInvocationId) => one(0),
            Some(_) => continue,
            None => match Primitive::parse(&name) {
                Some(Primitive { kind: Kind::ExclusiveScan, operation: Some(o) }) => {
                    identity(o, call.ty())
                }
                Some(_) => call.args()[0],
                None => continue,
            },
        };
        call.replace_all_uses_with(new);
        call.erase();
    }
}

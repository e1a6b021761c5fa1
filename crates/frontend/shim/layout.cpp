// Describes the layout of a kernel's functor, and whether its parts can be copied to a device.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"

using namespace clang;

namespace {

// Returns sycl::is_device_copyable<T>::value, or false if the template is not declared.
bool deviceCopyable(scythe_unit &Unit, QualType T) {
  ASTContext &Ctx = Unit.Ctx;
  Sema &S = Unit.CI.getSema();
  const NamespaceDecl *Sycl = nullptr;
  for (NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get("sycl")))
    if ((Sycl = dyn_cast<NamespaceDecl>(D)))
      break;
  if (!Sycl)
    return false;
  ClassTemplateDecl *Trait = nullptr;
  for (NamedDecl *D : Sycl->lookup(&Ctx.Idents.get("is_device_copyable")))
    if ((Trait = dyn_cast<ClassTemplateDecl>(D)))
      break;
  if (!Trait)
    return false;

  SourceLocation Loc = Trait->getLocation();
  TemplateArgumentListInfo Args(Loc, Loc);
  Args.addArgument(TemplateArgumentLoc(TemplateArgument(T), Ctx.getTrivialTypeSourceInfo(T, Loc)));
  QualType Applied = S.CheckTemplateIdType(ElaboratedTypeKeyword::None, TemplateName(Trait), Loc,
                                           Args, nullptr, false);
  if (Applied.isNull() || !S.isCompleteType(Loc, Applied))
    return false;
  LookupResult Found(S, &Ctx.Idents.get("value"), Loc, Sema::LookupMemberName);
  if (!S.LookupQualifiedName(Found, Applied->getAsCXXRecordDecl()) || !Found.isSingleResult())
    return false;
  auto *Value = Found.getAsSingle<VarDecl>();
  if (!Value)
    return false;
  Expr *Ref = S.BuildDeclRefExpr(Value, Value->getType().getNonReferenceType(), VK_LValue, Loc);
  Expr::EvalResult Result;
  return Ref && !Ref->isValueDependent() && Ref->EvaluateAsInt(Result, Ctx) &&
         Result.Val.getInt().getBoolValue();
}

llvm::StringRef scalarName(ASTContext &Ctx, QualType T) {
  if (const auto *B = T->getAs<BuiltinType>()) {
    switch (B->getKind()) {
    case BuiltinType::Float:
      return "float";
    case BuiltinType::Double:
      return "double";
    case BuiltinType::Half:
    case BuiltinType::Float16:
      return "half";
    case BuiltinType::BFloat16:
      return "bfloat";
    default:
      break;
    }
  }
  if (T->isBitIntType() || !T->isIntegralOrEnumerationType())
    return {};
  switch (Ctx.getTypeSize(T)) {
  case 8:
    return "i8";
  case 16:
    return "i16";
  case 32:
    return "i32";
  case 64:
    return "i64";
  default:
    return {};
  }
}

// Whether the class has a copy constructor that copies bytes.
bool hasPlainCopy(const CXXRecordDecl *RD) {
  return llvm::any_of(RD->ctors(), [](const CXXConstructorDecl *C) {
    return C->isCopyConstructor() && C->isTrivial() && !C->isDeleted();
  });
}

// An assignment of its own does not count if the class can be copied without it: the program
// constructs the copy for the device.
bool ownCopy(const CXXRecordDecl *RD) {
  return (RD->hasUserDeclaredCopyConstructor() && !RD->hasTrivialCopyConstructor()) ||
         (RD->hasUserDeclaredMoveConstructor() && !RD->hasTrivialMoveConstructor()) ||
         (RD->hasUserDeclaredDestructor() && !RD->hasTrivialDestructor()) ||
         (RD->hasUserDeclaredMoveAssignment() && !hasPlainCopy(RD)) || RD->isPolymorphic() ||
         RD->getNumVBases() != 0;
}

class LayoutWalk {
public:
  LayoutWalk(scythe_unit &Unit, std::vector<scythe_field> &Out)
      : Unit(Unit), Ctx(Unit.Ctx), Out(Out) {}

  // Appends the node of an object and of its parts. `Size` is the number of bytes that belong to
  // the object here.
  void object(QualType T, llvm::StringRef Name, SourceLocation Loc, uint64_t Offset, uint64_t Size,
              uint32_t Depth, uint32_t Flags) {
    scythe_field Field{};
    Field.depth = Depth;
    Field.loc = rawLoc(Loc);
    Field.name = Unit.keep(Name);
    Field.type = Unit.keep(T.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy()));
    Field.offset = Offset;
    Field.size = Size;
    Field.flags = Flags;
    QualType C = T.getCanonicalType();
    if (C->isReferenceType()) {
      Field.kind = SCYTHE_FIELD_REFERENCE;
      Field.align = 8;
      Out.push_back(Field);
      return;
    }
    Field.align = Ctx.getTypeAlignInChars(C).getQuantity();
    if (typeUse(Unit, C).LongDouble)
      Field.flags |= SCYTHE_FIELD_LONG_DOUBLE;
    bool Trivial = C.isTriviallyCopyableType(Ctx);
    if (Trivial)
      Field.flags |= SCYTHE_FIELD_TRIVIALLY_COPYABLE;

    if (const auto *A = Ctx.getAsConstantArrayType(C)) {
      Field.kind = SCYTHE_FIELD_ARRAY;
      Field.count = A->getZExtSize();
      Out.push_back(Field);
      QualType Element = A->getElementType();
      if (Field.count != 0)
        object(Element, Name, Loc, Offset, Ctx.getTypeSizeInChars(Element).getQuantity(), Depth + 1,
               0);
      return;
    }
    if (const CXXRecordDecl *RD = C->getAsCXXRecordDecl()) {
      record(Field, RD->getDefinition(), C, Trivial);
      return;
    }
    llvm::StringRef Scalar = scalarName(Ctx, C);
    if (!Scalar.empty()) {
      Field.kind = SCYTHE_FIELD_SCALAR;
      Field.scalar = Unit.keep(Scalar);
    } else if ((C->isPointerType() && !C->isFunctionPointerType()) || C->isNullPtrType()) {
      Field.kind = SCYTHE_FIELD_POINTER;
    } else {
      Field.kind = SCYTHE_FIELD_OPAQUE;
    }
    Out.push_back(Field);
  }

private:
  scythe_unit &Unit;
  ASTContext &Ctx;
  std::vector<scythe_field> &Out;

  void record(scythe_field Field, const CXXRecordDecl *RD, QualType T, bool Trivial) {
    if (RD->isLambda())
      Field.flags |= SCYTHE_FIELD_CLOSURE;
    if (RD->isEmpty())
      Field.flags |= SCYTHE_FIELD_EMPTY;
    if (!RD->isLambda() && ownCopy(RD))
      Field.flags |= SCYTHE_FIELD_OWN_COPY;
    if (!Trivial && !RD->isLambda() && deviceCopyable(Unit, T.getUnqualifiedType()))
      Field.flags |= SCYTHE_FIELD_DEVICE_COPYABLE;
    Field.special = Unit.keep(specialKind(RD));
    if (const AnnotateAttr *A =
            annotation(RD, "__sycl_detail__::add_ir_kernel_parameter_attributes")) {
      scythe_attribute Properties = describeAttribute(Unit, A);
      Field.properties = Unit.keep(llvm::ArrayRef<scythe_attribute>(Properties));
    }
    bool Opaque = RD->isUnion() || RD->isPolymorphic() || RD->getNumVBases() != 0;
    Field.kind = Opaque ? SCYTHE_FIELD_OPAQUE : SCYTHE_FIELD_RECORD;
    Out.push_back(Field);
    if (Opaque || Field.special.size != 0)
      return;

    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(RD);
    for (const CXXBaseSpecifier &B : RD->bases()) {
      const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
      uint64_t Offset = Field.offset + Layout.getBaseClassOffset(Base).getQuantity();
      uint64_t Size = Ctx.getASTRecordLayout(Base).getDataSize().getQuantity();
      object(B.getType(), Base->getName(), B.getBeginLoc(), Offset, Size, Field.depth + 1,
             SCYTHE_FIELD_BASE);
    }
    const CaptureNames Names(RD);
    for (const FieldDecl *F : RD->fields()) {
      uint32_t Flags = Names.isCapture(F) ? SCYTHE_FIELD_CAPTURE : 0;
      if (Names.isThis(F) && F->getType()->isPointerType())
        Flags |= SCYTHE_FIELD_THIS;
      std::string Name = Names.name(F);
      SourceLocation Loc = F->getLocation();
      uint64_t Bits = Layout.getFieldOffset(F->getFieldIndex());
      if (F->isBitField()) {
        bits(F, Name, Field.offset * 8 + Bits, Field.depth + 1);
        continue;
      }
      QualType Type = F->getType();
      uint64_t Size = Type->isReferenceType() ? 8 : Ctx.getTypeSizeInChars(Type).getQuantity();
      if (F->isPotentiallyOverlapping())
        if (const CXXRecordDecl *Member = Type->getAsCXXRecordDecl())
          Size = Ctx.getASTRecordLayout(Member).getDataSize().getQuantity();
      object(Type, Name, Loc, Field.offset + Bits / 8, Size, Field.depth + 1, Flags);
    }
  }

  // Appends the bytes of a bit-field. Adjacent bit-fields share one node.
  void bits(const FieldDecl *F, llvm::StringRef Name, uint64_t FirstBit, uint32_t Depth) {
    uint64_t Width = F->getBitWidthValue();
    if (Width == 0)
      return;
    uint64_t Begin = FirstBit / 8;
    uint64_t End = (FirstBit + Width + 7) / 8;
    if (!Out.empty() && Out.back().kind == SCYTHE_FIELD_BITS && Out.back().depth == Depth &&
        Out.back().offset + Out.back().size >= Begin) {
      Out.back().size = std::max(Out.back().size, End - Out.back().offset);
      return;
    }
    scythe_field Field{};
    Field.depth = Depth;
    Field.kind = SCYTHE_FIELD_BITS;
    Field.flags = SCYTHE_FIELD_TRIVIALLY_COPYABLE;
    Field.loc = rawLoc(F->getLocation());
    Field.name = Unit.keep(Name);
    Field.type = Unit.keep(F->getType().getAsString(Ctx.getPrintingPolicy()));
    Field.offset = Begin;
    Field.size = End - Begin;
    Field.align = 1;
    Out.push_back(Field);
  }
};

} // namespace

void describeLayout(scythe_unit &Unit, const CXXRecordDecl *Functor,
                    std::vector<scythe_field> &Out) {
  QualType T = Unit.Ctx.getCanonicalTagType(Functor);
  uint64_t Size = Unit.Ctx.getTypeSizeInChars(T).getQuantity();
  LayoutWalk(Unit, Out).object(T, Functor->getName(), Functor->getLocation(), 0, Size, 0, 0);
}

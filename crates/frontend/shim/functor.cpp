// Describes a kernel's functor in both passes, so that the driver can compare them: each part with
// its offset, size and type. Names do not depend on the pass.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;

CaptureNames::CaptureNames(const CXXRecordDecl *RD) {
  if (!RD->isLambda())
    return;
  llvm::DenseMap<const ValueDecl *, FieldDecl *> Captures;
  FieldDecl *This = nullptr;
  RD->getCaptureFields(Captures, This);
  if (This)
    Captured[This] = nullptr;
  for (const auto &[Variable, Member] : Captures)
    Captured[Member] = Variable;
}

bool CaptureNames::isThis(const FieldDecl *F) const {
  auto It = Captured.find(F);
  return It != Captured.end() && !It->second;
}

std::string CaptureNames::name(const FieldDecl *F) const {
  auto It = Captured.find(F);
  if (It == Captured.end())
    return F->getNameAsString();
  return It->second ? It->second->getNameAsString() : "this";
}

namespace {

class PartWalk {
public:
  PartWalk(scythe_unit &Unit, std::vector<scythe_part> &Out)
      : Unit(Unit), Ctx(Unit.Ctx), Out(Out) {}

  // Appends the bases and members of a record, with their own parts.
  void record(const CXXRecordDecl *RD, uint64_t Bits, uint32_t Depth) {
    if (!specialKind(RD).empty())
      return;
    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(RD);
    for (const CXXBaseSpecifier &B : RD->bases()) {
      const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
      auto Offset =
          B.isVirtual() ? Layout.getVBaseClassOffset(Base) : Layout.getBaseClassOffset(Base);
      part(SCYTHE_PART_BASE, B.getType(), Base->getName(), Bits + Ctx.toBits(Offset),
           Ctx.getTypeSize(B.getType()), Depth);
    }
    const CaptureNames Names(RD);
    for (const FieldDecl *F : RD->fields()) {
      uint64_t Offset = Bits + Layout.getFieldOffset(F->getFieldIndex());
      QualType Type = F->getType();
      uint64_t Size = F->isBitField()           ? F->getBitWidthValue()
                      : Type->isReferenceType() ? 64
                                                : Ctx.getTypeSize(Type);
      part(RD->isLambda() ? SCYTHE_PART_CAPTURE : SCYTHE_PART_MEMBER, Type, Names.name(F), Offset,
           Size, Depth);
    }
  }

private:
  scythe_unit &Unit;
  ASTContext &Ctx;
  std::vector<scythe_part> &Out;
  llvm::DenseMap<QualType, scythe_str> Identities;

  void part(scythe_part_kind Kind, QualType T, llvm::StringRef Name, uint64_t Bits, uint64_t Size,
            uint32_t Depth) {
    scythe_part Part{};
    Part.depth = Depth;
    Part.kind = Kind;
    Part.name = Unit.keep(Name);
    Part.type = Unit.keep(T.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy()));
    Part.identity = identity(T);
    Part.bit_offset = Bits;
    Part.bit_size = Size;
    Out.push_back(Part);
    QualType Inner = T.getCanonicalType();
    while (const auto *A = Ctx.getAsConstantArrayType(Inner))
      Inner = A->getElementType();
    if (const CXXRecordDecl *RD = Inner->getAsCXXRecordDecl(); RD && RD->hasDefinition())
      record(RD->getDefinition(), Bits, Depth + 1);
  }

  // Returns the mangled type. Both passes number lambdas as device code does.
  scythe_str identity(QualType T) {
    scythe_str &Known = Identities[T.getCanonicalType().getUnqualifiedType()];
    if (!Known.data)
      Known = Unit.keep(
          SYCLUniqueStableNameExpr::ComputeName(Ctx, T.getCanonicalType().getUnqualifiedType()));
    return Known;
  }
};

// Returns the first lambda in a type, or null.
const CXXRecordDecl *closureIn(QualType T);
const CXXRecordDecl *closureIn(llvm::ArrayRef<TemplateArgument> Args) {
  for (const TemplateArgument &A : Args) {
    const CXXRecordDecl *Found = nullptr;
    if (A.getKind() == TemplateArgument::Type)
      Found = closureIn(A.getAsType().getCanonicalType());
    else if (A.getKind() == TemplateArgument::Pack)
      Found = closureIn(A.pack_elements());
    if (Found)
      return Found;
  }
  return nullptr;
}
const CXXRecordDecl *closureIn(QualType T) {
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!RD || RD->isLambda())
    return RD;
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  return Spec ? closureIn(Spec->getTemplateArgs().asArray()) : nullptr;
}

} // namespace

scythe_functor describeFunctor(scythe_unit &Unit, QualType Name, const CXXRecordDecl *Functor) {
  ASTContext &Ctx = Unit.Ctx;
  QualType Type = Ctx.getCanonicalTagType(Functor);
  Name = Name.getCanonicalType();
  const CXXRecordDecl *Closure = closureIn(Name);
  scythe_functor Out{};
  Out.unnamed = Closure != nullptr;
  Out.symbol = Unit.keep(SYCLUniqueStableNameExpr::ComputeName(Ctx, Name));
  Out.name = Unit.keep(Name.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy()));
  Out.loc = rawLoc((Closure ? Closure : Functor)->getLocation());
  Out.size = Ctx.getTypeSizeInChars(Type).getQuantity();
  Out.align = Ctx.getTypeAlignInChars(Type).getQuantity();
  std::vector<scythe_part> Parts;
  PartWalk(Unit, Parts).record(Functor, 0, 0);
  Out.parts = Unit.keep(llvm::ArrayRef<scythe_part>(Parts));
  Out.part_count = Parts.size();
  return Out;
}

extern "C" void scythe_describe_functor(scythe_unit *Unit, scythe_decl Entry, scythe_functor *Out) {
  const auto *FD = static_cast<const FunctionDecl *>(Entry);
  QualType Name = FD->getAttr<SYCLKernelEntryPointAttr>()->getKernelName();
  const CXXRecordDecl *Functor = FD->getParamDecl(0)->getType()->getAsCXXRecordDecl();
  *Out = describeFunctor(*Unit, Name, Functor->getDefinition());
}

// Returns a declaration with this name directly inside a context, or null.
template <class D> static D *member(DeclContext *Context, ASTContext &Ctx, llvm::StringRef Name) {
  for (NamedDecl *Found : Context->lookup(&Ctx.Idents.get(Name)))
    if (auto *Wanted = dyn_cast<D>(Found))
      return Wanted;
  return nullptr;
}

NamedDecl *declarationOfHeaders(ASTContext &Ctx, StringRef Name) {
  auto *Sycl = member<NamespaceDecl>(Ctx.getTranslationUnitDecl(), Ctx, "sycl");
  auto *Detail = Sycl ? member<NamespaceDecl>(Sycl, Ctx, "detail") : nullptr;
  return Detail ? member<NamedDecl>(Detail, Ctx, Name) : nullptr;
}

void setUnitId(scythe_unit &Unit) {
  ASTContext &Ctx = Unit.Ctx;
  auto *Id = dyn_cast_or_null<VarDecl>(declarationOfHeaders(Ctx, "unit_id"));
  if (!Id || !Id->hasInit() || !Id->getType().isVolatileQualified())
    return;
  // After an error in a standard header, the variable may have another type than std::uint64_t.
  if (Id->isInvalidDecl() || Ctx.getTypeSize(Id->getType()) != 64)
    return;
  llvm::APInt Value(Ctx.getTypeSize(Id->getType()), scythe_frontend_unit_id());
  QualType Type = Id->getType().getUnqualifiedType().getCanonicalType();
  Id->setInit(IntegerLiteral::Create(Ctx, Value, Type, Id->getLocation()));
}

void describeLaunches(scythe_unit &Unit) {
  ASTContext &Ctx = Unit.Ctx;
  std::vector<scythe_functor> Launches;
  auto *Launch =
      dyn_cast_or_null<FunctionTemplateDecl>(declarationOfHeaders(Ctx, "describe_kernel"));
  if (Launch) {
    for (const FunctionDecl *FD : Launch->specializations()) {
      if (!FD->isDefined() || FD->getNumParams() < 2)
        continue;
      QualType Name = FD->getTemplateSpecializationArgs()->get(0).getAsType();
      const CXXRecordDecl *Functor =
          FD->getParamDecl(1)->getType().getNonReferenceType()->getAsCXXRecordDecl();
      if (Functor && Functor->hasDefinition())
        Launches.push_back(describeFunctor(Unit, Name, Functor->getDefinition()));
    }
  }
  const bool Errors = Unit.CI.getDiagnosticClient().getNumErrors() != 0;
  scythe_frontend_launches(&Unit, Launches.data(), Launches.size(), Errors);
}

namespace {

// Returns the number of members with this name in a class and its bases. Members of the class hide
// members of the bases.
unsigned membersNamed(const CXXRecordDecl *RD, DeclarationName Name) {
  if (!RD->lookup(Name).empty())
    return 1;
  unsigned Count = 0;
  for (const CXXBaseSpecifier &B : RD->bases())
    Count += membersNamed(B.getType()->getAsCXXRecordDecl()->getDefinition(), Name);
  return Count;
}

// Finds the members that all code can name, by their paths from the functor. Skips the members of
// types of the headers and of the standard library.
class MemberWalk {
public:
  MemberWalk(scythe_unit &Unit, std::vector<scythe_member> &Out) : Unit(Unit), Out(Out) {}

  void record(const CXXRecordDecl *RD, const std::string &Path, uint64_t Offset, bool InClosure) {
    if (RD->isUnion() || !specialKind(RD).empty() || insideNamespace(RD, "sycl") ||
        insideNamespace(RD, "std"))
      return;
    if (RD->isLambda())
      closure(RD, Path, Offset);
    else
      fields(RD, RD, Path, Offset, InClosure);
  }

private:
  scythe_unit &Unit;
  std::vector<scythe_member> &Out;

  void closure(const CXXRecordDecl *RD, const std::string &Path, uint64_t Offset) {
    const auto Names = gnuNames(Unit, RD);
    for (const FieldDecl *F : RD->fields())
      if (auto Name = Names.find(F); Name != Names.end())
        field(F, Path + Name->second, Offset, true);
  }

  // Adds the fields of `RD`, which is `Object` or a base of it.
  void fields(const CXXRecordDecl *Object, const CXXRecordDecl *RD, const std::string &Path,
              uint64_t Offset, bool InClosure) {
    for (const FieldDecl *F : RD->fields())
      if (F->getAccess() == AS_public && F->getIdentifier() && !F->isBitField() &&
          (Object == RD || (Object->lookup(F->getDeclName()).empty() &&
                            membersNamed(Object, F->getDeclName()) == 1)))
        field(F, Path + F->getNameAsString(), Offset, InClosure);
    const ASTRecordLayout &Layout = Unit.Ctx.getASTRecordLayout(RD);
    for (const CXXBaseSpecifier &B : RD->bases()) {
      const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl()->getDefinition();
      if (B.isVirtual() || B.getAccessSpecifier() != AS_public || Base->isLambda() ||
          !specialKind(Base).empty() || insideNamespace(Base, "sycl") ||
          insideNamespace(Base, "std"))
        continue;
      fields(Object, Base, Path, Offset + Layout.getBaseClassOffset(Base).getQuantity(), InClosure);
    }
  }

  void field(const FieldDecl *F, std::string Path, uint64_t Start, bool InClosure) {
    ASTContext &Ctx = Unit.Ctx;
    QualType T = F->getType().getCanonicalType().getUnqualifiedType();
    if (T->isReferenceType())
      return;
    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(F->getParent());
    scythe_member Member{};
    Member.path = Unit.keep(Path);
    // Types that every compiler spells alike.
    if (const auto *B = T->getAs<BuiltinType>())
      if (B->isInteger() || B->getKind() == BuiltinType::Float ||
          B->getKind() == BuiltinType::Double)
        Member.arithmetic = Unit.keep(T.getAsString(PrintingPolicy(Ctx.getLangOpts())));
    Member.offset = Start + Layout.getFieldOffset(F->getFieldIndex()) / 8;
    Member.size = Ctx.getTypeSizeInChars(T).getQuantity();
    Member.in_closure = InClosure;
    Out.push_back(Member);
    while (const ConstantArrayType *Array = Ctx.getAsConstantArrayType(T)) {
      if (Array->isZeroSize())
        return;
      Path += "[0]";
      T = Array->getElementType();
    }
    if (const CXXRecordDecl *Inner = T->getAsCXXRecordDecl(); Inner && Inner->hasDefinition())
      record(Inner->getDefinition(), Path + ".", Member.offset, InClosure);
  }
};

} // namespace

extern "C" void scythe_describe_functor_type(scythe_unit *Unit, scythe_decl Entry,
                                             scythe_functor_type *Out) {
  const auto *FD = static_cast<const FunctionDecl *>(Entry);
  const CXXRecordDecl *Functor =
      FD->getParamDecl(0)->getType()->getAsCXXRecordDecl()->getDefinition();
  QualType T = Unit->Ctx.getCanonicalTagType(Functor);
  scythe_kernel Name{};
  describeName(*Unit, T, Name);
  *Out = {};
  Out->spelling = Name.spelling;
  Out->parts = Name.parts;
  Out->part_count = Name.part_count;
  Out->align = Unit->Ctx.getTypeAlignInChars(T).getQuantity();
  std::vector<scythe_member> Members;
  MemberWalk(*Unit, Members).record(Functor, "", 0, false);
  Out->members = Unit->keep(llvm::ArrayRef<scythe_member>(Members));
  Out->member_count = Members.size();
}

extern "C" void scythe_aspect_macros(scythe_unit *Unit, const scythe_str **Out, size_t *Count) {
  std::vector<scythe_str> Names;
  for (const auto &[Text, Undefined] : Unit->CI.getPreprocessorOpts().Macros) {
    llvm::StringRef Name = llvm::StringRef(Text).split('=').first;
    if (!Undefined && (Name.starts_with("__SYCL_ANY_DEVICE_HAS_") ||
                       Name.starts_with("__SYCL_ALL_DEVICES_HAVE_")))
      Names.push_back(Unit->keep(Name));
  }
  *Out = Unit->keep(llvm::ArrayRef<scythe_str>(Names));
  *Count = Names.size();
}

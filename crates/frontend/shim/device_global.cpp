// `device_global` variables: describes them, makes clang emit them on the host, and finds objects
// that the extension forbids.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

bool isDeviceGlobalClass(const CXXRecordDecl *RD) {
  return RD && RD->hasDefinition() && specialKind(RD->getDefinition()) == "device_global";
}

bool isDeviceGlobal(ASTContext &Ctx, QualType T) {
  return !T.isNull() && !T->isDependentType() &&
         isDeviceGlobalClass(Ctx.getBaseElementType(T.getNonReferenceType())->getAsCXXRecordDecl());
}

bool mayBeDeviceGlobal(ASTContext &Ctx, QualType T) {
  if (T.isNull() || T->isDependentType())
    return false;
  const CXXRecordDecl *RD = Ctx.getBaseElementType(T)->getAsCXXRecordDecl();
  return RD && RD->getIdentifier() && RD->getName() == "device_global";
}

scythe_device_global describeDeviceGlobal(scythe_unit &Unit, const VarDecl *VD) {
  scythe_device_global Out{};
  if (!Unit.Names)
    Unit.Names = std::make_unique<ASTNameGenerator>(Unit.Ctx);
  Out.symbol = Unit.keep(Unit.Names->getName(VD));
  Out.size = Unit.Ctx.getTypeSizeInChars(VD->getType()).getQuantity();
  Out.external = VD->isExternallyVisible();
  return Out;
}

namespace {

// Finds objects of class device_global that the extension forbids.
class Misuses : public RecursiveASTVisitor<Misuses> {
public:
  Misuses(scythe_unit &Unit, std::vector<scythe_misuse> &Out) : Unit(Unit), Out(Out) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseDecl(Decl *D) {
    if (auto *NS = dyn_cast_or_null<NamespaceDecl>(D);
        NS && NS->getDeclContext()->isTranslationUnit() &&
        (NS->getName() == "std" || NS->getName() == "sycl"))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitVarDecl(VarDecl *VD) {
    if (VD->getType()->isReferenceType() || !isDeviceGlobal(Unit.Ctx, VD->getType()))
      return true;
    if (isa<ParmVarDecl>(VD))
      add(VD, VD->getLocation(), SCYTHE_MISUSE_PARAMETER);
    else if (VD->isLocalVarDecl())
      add(VD, VD->getLocation(), SCYTHE_MISUSE_LOCAL);
    else if (VD->getType()->isArrayType())
      add(VD, VD->getLocation(), SCYTHE_MISUSE_ARRAY);
    else if (VD->getTLSKind() != VarDecl::TLS_None)
      add(VD, VD->getLocation(), SCYTHE_MISUSE_THREAD_LOCAL);
    else if (hidden(VD))
      add(VD, VD->getLocation(), SCYTHE_MISUSE_NOT_PUBLIC);
    return true;
  }
  bool VisitFieldDecl(FieldDecl *FD) {
    if (!FD->getType()->isReferenceType() && isDeviceGlobal(Unit.Ctx, FD->getType()))
      add(FD, FD->getLocation(), SCYTHE_MISUSE_MEMBER);
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) {
    if (isDeviceGlobal(Unit.Ctx, E->getAllocatedType()))
      add(nullptr, E->getExprLoc(), SCYTHE_MISUSE_NEW);
    return true;
  }
  bool VisitCXXTemporaryObjectExpr(CXXTemporaryObjectExpr *E) {
    if (isDeviceGlobal(Unit.Ctx, E->getType()))
      add(nullptr, E->getExprLoc(), SCYTHE_MISUSE_TEMPORARY);
    return true;
  }

private:
  scythe_unit &Unit;
  std::vector<scythe_misuse> &Out;

  // Whether code at namespace scope cannot name a static member.
  static bool hidden(const VarDecl *VD) {
    if (!VD->isStaticDataMember())
      return false;
    for (const Decl *D = VD->getCanonicalDecl(); D;
         D = dyn_cast<CXXRecordDecl>(D->getDeclContext())) {
      if (D->getAccess() == AS_private || D->getAccess() == AS_protected)
        return true;
      if (!isa<CXXRecordDecl>(D->getDeclContext()))
        break;
    }
    return false;
  }

  void add(const NamedDecl *D, SourceLocation Loc, scythe_misuse_kind Kind) {
    // A static member has a declaration and a definition. One report is enough.
    for (const scythe_misuse &Known : Out)
      if (D && Known.decl == D->getCanonicalDecl())
        return;
    scythe_misuse Misuse{};
    Misuse.kind = Kind;
    Misuse.loc = rawLoc(Loc);
    Misuse.decl = D ? D->getCanonicalDecl() : nullptr;
    Misuse.name = Unit.keep(D ? D->getNameAsString() : std::string());
    Out.push_back(Misuse);
  }
};

} // namespace

void findMisuses(scythe_unit &Unit, std::vector<scythe_misuse> &Out) {
  Misuses(Unit, Out).TraverseDecl(Unit.Ctx.getTranslationUnitDecl());
}

void registerOnHost(scythe_unit &Unit, VarDecl *VD) {
  scythe_device_global Global = describeDeviceGlobal(Unit, VD);
  scythe_str Text{};
  if (!scythe_frontend_host_variable(&Global, &Text))
    return;
  const StringRef Annotation(Text.data, Text.size);
  // The annotations in a precompiled header have the identifier of the unit that made it.
  const StringRef Kind = Annotation.take_until([](char C) { return C >= '0' && C <= '9'; });
  llvm::SmallVector<Attr *, 4> Kept;
  for (Attr *Known : VD->attrs()) {
    auto *A = dyn_cast<AnnotateAttr>(Known);
    if (A && A->getAnnotation() == Annotation)
      return;
    if (!A || !A->getAnnotation().starts_with(Kind))
      Kept.push_back(Known);
  }
  VD->dropAttrs();
  for (Attr *Known : Kept)
    VD->addAttr(Known);
  ASTContext &Ctx = Unit.Ctx;
  if (!VD->hasAttr<UsedAttr>())
    VD->addAttr(UsedAttr::CreateImplicit(Ctx));
  VD->addAttr(AnnotateAttr::CreateImplicit(Ctx, Annotation, nullptr, 0));
}

// Facts of functions, kernels, attributes, types and positions.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

const FunctionDecl *canonicalFunction(const FunctionDecl *FD) {
  if (const FunctionDecl *Definition = FD->getDefinition())
    return Definition;
  return FD->getCanonicalDecl();
}

bool insideNamespace(const Decl *D, llvm::StringRef Name) {
  const NamespaceDecl *Outermost = nullptr;
  for (const DeclContext *DC = D->getDeclContext(); DC; DC = DC->getParent())
    if (const auto *NS = dyn_cast<NamespaceDecl>(DC))
      Outermost = NS;
  return Outermost && Outermost->getName() == Name;
}

static const StringLiteral *stringArgument(const Expr *Arg) {
  return dyn_cast<StringLiteral>(Arg->IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts());
}

scythe_attribute describeAttribute(scythe_unit &Unit, const AnnotateAttr *A) {
  scythe_attribute Out{};
  Out.name = Unit.keep(A->getAnnotation());
  // Attributes are macros to clang: see src/normalise.
  Out.loc = rawLoc(Unit.Ctx.getSourceManager().getExpansionLoc(A->getLocation()));
  std::vector<int64_t> Values;
  for (const Expr *Arg : A->args()) {
    if (Arg->isValueDependent())
      continue;
    if (const StringLiteral *Text = stringArgument(Arg)) {
      if (!Out.text.data)
        Out.text = Unit.keep(Text->getString());
      continue;
    }
    Expr::EvalResult Value;
    if (Arg->EvaluateAsInt(Value, Unit.Ctx))
      Values.push_back(Value.Val.getInt().getExtValue());
  }
  Out.values = Unit.keep(llvm::ArrayRef<int64_t>(Values));
  Out.value_count = Values.size();
  return Out;
}

const AnnotateAttr *usesAspects(const Decl *D) {
  for (const auto *A : D->specific_attrs<AnnotateAttr>())
    if (A->getAnnotation() == "sycl_detail::uses_aspects")
      return A;
  return nullptr;
}

llvm::StringRef specialKind(const CXXRecordDecl *RD) {
  for (const auto *A : RD->specific_attrs<AnnotateAttr>())
    if (A->getAnnotation() == "scythe::special" && A->args_size() == 1)
      if (const StringLiteral *Text = stringArgument(*A->args_begin()))
        return Text->getString();
  return {};
}

const TypeUse &typeUse(scythe_unit &Unit, QualType T) {
  T = T.getCanonicalType().getUnqualifiedType();
  auto Found = Unit.TypeUses.find(T);
  if (Found != Unit.TypeUses.end())
    return Found->second;
  TypeUse Use;
  auto Add = [&](QualType Part) {
    const TypeUse Inner = typeUse(Unit, Part);
    Use.Double |= Inner.Double;
    Use.Half |= Inner.Half;
    Use.LongDouble |= Inner.LongDouble;
    for (const CXXRecordDecl *RD : Inner.Decorated)
      if (!llvm::is_contained(Use.Decorated, RD))
        Use.Decorated.push_back(RD);
  };
  if (const auto *B = T->getAs<BuiltinType>()) {
    Use.Double = B->getKind() == BuiltinType::Double;
    Use.Half = B->getKind() == BuiltinType::Half || B->getKind() == BuiltinType::Float16;
    Use.LongDouble = B->getKind() == BuiltinType::LongDouble;
  } else if (const auto *A = dyn_cast<ArrayType>(T.getTypePtr())) {
    Add(A->getElementType());
  } else if (const auto *V = T->getAs<VectorType>()) {
    Add(V->getElementType());
  } else if (const auto *C = T->getAs<ComplexType>()) {
    Add(C->getElementType());
  } else if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl(); RD && RD->hasDefinition()) {
    RD = RD->getDefinition();
    if (usesAspects(RD))
      Use.Decorated.push_back(RD);
    for (const CXXBaseSpecifier &B : RD->bases())
      if (!B.getType()->isDependentType())
        Add(B.getType());
    for (const FieldDecl *F : RD->fields())
      if (!F->getType()->isDependentType() && !F->getType()->isReferenceType())
        Add(F->getType());
  }
  return Unit.TypeUses[T] = std::move(Use);
}

static std::string shownName(const FunctionDecl *FD, const PrintingPolicy &Policy) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  FD->getNameForDiagnostic(OS, Policy, /*Qualified=*/false);
  return Text;
}

extern "C" void scythe_describe_function(scythe_unit *Unit, scythe_decl Function, scythe_function *Out) {
  const auto *FD = static_cast<const FunctionDecl *>(Function);
  ASTContext &Ctx = Unit->Ctx;
  *Out = {};
  Out->name = Unit->keep(shownName(FD, Ctx.getPrintingPolicy()));
  Out->qualified = Unit->keep(FD->getQualifiedNameAsString());
  Out->loc = rawLoc(FD->getLocation());
  if (FD->isTemplateInstantiation())
    Out->instantiated_at = rawLoc(FD->getPointOfInstantiation());
  if (const auto *Method = dyn_cast<CXXMethodDecl>(FD))
    Out->parent = Method->getParent()->getCanonicalDecl();

  uint32_t Flags = 0;
  if (FD->isDefined())
    Flags |= SCYTHE_FUNCTION_DEFINED;
  if (FD->isVariadic())
    Flags |= SCYTHE_FUNCTION_VARIADIC;
  if (FD->hasAttr<SYCLExternalAttr>())
    Flags |= SCYTHE_FUNCTION_EXTERNAL;
  if (unsigned ID = FD->getBuiltinID()) {
    // Functions such as std::move are builtins that clang expands in place.
    bool Library = Ctx.BuiltinInfo.isPredefinedLibFunction(ID) && !Ctx.BuiltinInfo.isInStdNamespace(ID);
    Flags |= Library ? SCYTHE_FUNCTION_LIBRARY : SCYTHE_FUNCTION_BUILTIN;
  }
  if (FD->isReplaceableGlobalAllocationFunction())
    Flags |= SCYTHE_FUNCTION_ALLOCATION;
  if (FD->isExternC())
    Flags |= SCYTHE_FUNCTION_EXTERN_C;
  if (insideNamespace(FD, "sycl"))
    Flags |= SCYTHE_FUNCTION_IN_SYCL;
  if (FD->isTrivial() || (FD->isDefaulted() && isa<CXXDestructorDecl>(FD)))
    Flags |= SCYTHE_FUNCTION_DEFAULTED;
  Out->flags = Flags;

  // The hash of a method is taken where the class was written, so that instantiations in any unit agree.
  if (FD->isDefined() && isa<CXXMethodDecl>(FD))
    Out->odr_hash = const_cast<FunctionDecl *>(FD)->getODRHash();

  std::vector<scythe_attribute> Attributes;
  for (const FunctionDecl *Redecl : FD->redecls())
    for (const auto *A : Redecl->specific_attrs<AnnotateAttr>())
      if (!A->isInherited())
        Attributes.push_back(describeAttribute(*Unit, A));
  // Instantiations carry their pattern's attributes, but may not have been given those of a redeclaration.
  if (Attributes.empty())
    for (const auto *A : FD->specific_attrs<AnnotateAttr>())
      Attributes.push_back(describeAttribute(*Unit, A));
  Out->attributes = Unit->keep(llvm::ArrayRef<scythe_attribute>(Attributes));
  Out->attribute_count = Attributes.size();
}

extern "C" void scythe_function_symbols(scythe_unit *Unit, scythe_decl Function, const scythe_str **Out,
                                        size_t *Count) {
  const auto *FD = static_cast<const FunctionDecl *>(Function);
  if (!Unit->Names)
    Unit->Names = std::make_unique<ASTNameGenerator>(Unit->Ctx);
  std::vector<scythe_str> Symbols;
  if (isa<CXXConstructorDecl>(FD) || isa<CXXDestructorDecl>(FD)) {
    for (const std::string &Symbol : Unit->Names->getAllManglings(FD))
      Symbols.push_back(Unit->keep(Symbol));
  } else {
    Symbols.push_back(Unit->keep(Unit->Names->getName(FD)));
  }
  *Out = Unit->keep(llvm::ArrayRef<scythe_str>(Symbols));
  *Count = Symbols.size();
}

static scythe_position position(scythe_unit &Unit, SourceLocation Loc) {
  scythe_position Out{};
  if (Loc.isInvalid())
    return Out;
  PresumedLoc P = Unit.CI.getSourceManager().getPresumedLoc(Loc);
  if (P.isInvalid())
    return Out;
  llvm::SmallString<256> File(P.getFilename());
  llvm::sys::path::remove_dots(File);
  Out.file = Unit.keep(File);
  Out.line = P.getLine();
  Out.column = P.getColumn();
  return Out;
}

extern "C" void scythe_locate(scythe_unit *Unit, scythe_loc Loc, scythe_position *Out) {
  const SourceManager &SM = Unit->CI.getSourceManager();
  *Out = position(*Unit, SM.getExpansionLoc(SourceLocation::getFromRawEncoding(Loc)));
}

extern "C" void scythe_locate_call(scythe_unit *Unit, scythe_loc Loc, scythe_position *Out) {
  const SourceManager &SM = Unit->Ctx.getSourceManager();
  *Out = {};
  SourceLocation Where = SourceLocation::getFromRawEncoding(Loc);
  if (Where.isInvalid())
    return;
  PresumedLoc P = SM.getPresumedLoc(SM.getExpansionRange(Where).getEnd());
  if (P.isInvalid())
    return;
  Out->file = Unit->keep(P.getFilename());
  Out->line = P.getLine();
  Out->column = P.getColumn();
}

extern "C" void scythe_report(scythe_unit *Unit, uint32_t Level, scythe_loc Loc, scythe_str Message) {
  DiagnosticsEngine &Diags = Unit->CI.getDiagnostics();
  SourceLocation Where = SourceLocation::getFromRawEncoding(Loc);
  llvm::StringRef Text(Message.data, Message.size);
  unsigned ID = 0;
  switch (Level) {
  case SCYTHE_WARNING:
    ID = Diags.getCustomDiagID(DiagnosticsEngine::Warning, "%0");
    break;
  case SCYTHE_NOTE:
    ID = Diags.getCustomDiagID(DiagnosticsEngine::Note, "%0");
    break;
  default:
    ID = Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0");
  }
  Diags.Report(Where, ID) << Text;
}

extern "C" void scythe_warn(scythe_unit *Unit, uint32_t Fate, scythe_str Flag, scythe_loc Loc,
                            const scythe_position *Place, scythe_str Message, scythe_str Details) {
  DiagnosticsEngine &Diags = Unit->CI.getDiagnostics();
  SourceManager &SM = Unit->CI.getSourceManager();
  if (Diags.getIgnoreAllWarnings())
    return;
  SourceLocation Where = SourceLocation::getFromRawEncoding(Loc);
  if (Where.isInvalid() && Place->line)
    if (OptionalFileEntryRef File =
            SM.getFileManager().getOptionalFileRef(llvm::StringRef(Place->file.data, Place->file.size)))
      Where = SM.translateFileLineCol(*File, Place->line, std::max(Place->column, 1u));
  bool AsErrors = Diags.getWarningsAsErrors();
  if (Fate == SCYTHE_FATE_NEVER_ERROR)
    Diags.setWarningsAsErrors(false);
  unsigned ID = Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::CustomDiagDesc(
      Fate == SCYTHE_FATE_ERROR ? diag::Severity::Error : diag::Severity::Warning, "%0", DiagnosticIDs::CLASS_WARNING,
      /*ShowInSystemHeader=*/true, /*ShowInSystemMacro=*/true));
  std::string Text(Message.data, Message.size);
  if (Unit->CI.getDiagnosticOpts().ShowOptionNames) {
    Text += Diags.getDiagnosticLevel(ID, Where) >= DiagnosticsEngine::Error ? " [-Werror,-W" : " [-W";
    Text += llvm::StringRef(Flag.data, Flag.size);
    Text += "]";
  }
  if (Details.size)
    Text += "\n" + std::string(Details.data, Details.size);
  Diags.Report(Where, ID) << Text;
  Diags.setWarningsAsErrors(AsErrors);
}

extern "C" void scythe_describe_kernel(scythe_unit *Unit, scythe_decl Entry, scythe_kernel *Out) {
  const auto *FD = static_cast<const FunctionDecl *>(Entry);
  ASTContext &Ctx = Unit->Ctx;
  *Out = {};
  Out->entry_loc = rawLoc(FD->getLocation());
  for (const auto *A : FD->specific_attrs<AnnotateAttr>())
    if (A->getAnnotation() == "scythe::kernel")
      Out->shape = describeAttribute(*Unit, A).text;

  QualType Name = FD->getAttr<SYCLKernelEntryPointAttr>()->getKernelName();
  if (const SYCLKernelInfo *Info = Ctx.findSYCLKernelInfo(Name))
    Out->symbol = Unit->keep(Info->GetKernelName());
  describeName(*Unit, Name, *Out);

  if (FD->getNumParams() == 0)
    return;
  QualType T = FD->getParamDecl(0)->getType();
  Out->functor = Unit->keep(T.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy()));
  const CXXRecordDecl *Functor = T->getAsCXXRecordDecl();
  if (!Functor || !Functor->hasDefinition())
    return;
  Functor = Functor->getDefinition();
  Out->by_value = FD->getNumParams() == 1;
  Out->functor_decl = Functor->getCanonicalDecl();
  Out->functor_loc = rawLoc(Functor->getLocation());
  Out->functor_size = Ctx.getTypeSizeInChars(T).getQuantity();
  std::vector<scythe_field> Fields;
  describeLayout(*Unit, Functor, Fields);
  Out->fields = Unit->keep(llvm::ArrayRef<scythe_field>(Fields));
  Out->field_count = Fields.size();
}

// Free function kernels: functions of the program that are kernels. The headers give such a
// function the annotation `scythe::free_function`, whose argument is its shape, and declare the
// templates that this file instantiates or fills in.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

// Returns the shape that one declaration has, or -1. `Loc` is that of the last property.
static int shapeOf(scythe_unit &Unit, const FunctionDecl *FD, bool &Differs, SourceLocation &Loc) {
  int Shape = -1;
  for (const auto *A : FD->specific_attrs<AnnotateAttr>()) {
    if (A->getAnnotation() != "scythe::free_function" || A->args_size() != 1)
      continue;
    Expr::EvalResult Value;
    const Expr *Arg = *A->args_begin();
    if (Arg->isValueDependent() || !Arg->EvaluateAsInt(Value, Unit.Ctx))
      continue;
    const int Here = static_cast<int>(Value.Val.getInt().getExtValue());
    if (Here < 0)
      continue;
    Differs |= Shape >= 0 && Shape != Here;
    Shape = Here;
    Loc = A->getLocation();
  }
  return Shape;
}

int freeFunctionShape(scythe_unit &Unit, const FunctionDecl *FD) {
  bool Differs = false;
  SourceLocation Loc;
  if (FD->hasAttr<AnnotateAttr>())
    if (int Shape = shapeOf(Unit, FD, Differs, Loc); Shape >= 0)
      return Shape;
  // An explicit specialisation has the properties of its template.
  const FunctionTemplateDecl *Template = FD->getPrimaryTemplate();
  if (!Template || FD->getTemplateSpecializationKind() != TSK_ExplicitSpecialization)
    return -1;
  const FunctionDecl *Pattern = Template->getTemplatedDecl()->getMostRecentDecl();
  return Pattern->hasAttr<AnnotateAttr>() ? shapeOf(Unit, Pattern, Differs, Loc) : -1;
}

// Returns the function that the first template argument of a class names, or null.
static FunctionDecl *argument(const ClassTemplateSpecializationDecl *Spec) {
  if (Spec->getTemplateArgs().size() == 0)
    return nullptr;
  const TemplateArgument &Arg = Spec->getTemplateArgs()[0];
  return Arg.getKind() == TemplateArgument::Declaration ? dyn_cast<FunctionDecl>(Arg.getAsDecl())
                                                        : nullptr;
}

// Whether the class is a specialisation of a template of sycl::detail.
static bool isOfHeaders(const ClassTemplateSpecializationDecl *Spec, StringRef Name) {
  const auto *Detail = dyn_cast<NamespaceDecl>(Spec->getDeclContext());
  return Spec->getName() == Name && Detail && Detail->getName() == "detail" &&
         insideNamespace(Spec, "sycl");
}

void setFunctionFacts(scythe_unit &Unit, CXXRecordDecl *RD) {
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || !Spec->getIdentifier() || Spec->isDependentContext() ||
      !isOfHeaders(Spec, "function_facts"))
    return;
  const FunctionDecl *FD = argument(Spec);
  const int Shape = FD ? freeFunctionShape(Unit, FD->getMostRecentDecl()) : -1;
  if (Shape < 0)
    return;
  for (Decl *Member : RD->decls())
    if (auto *Kind = dyn_cast<EnumDecl>(Member))
      for (EnumConstantDecl *Constant : Kind->enumerators()) {
        llvm::APSInt Value(Unit.Ctx.getIntWidth(Kind->getIntegerType()), /*isUnsigned=*/false);
        Value = static_cast<uint64_t>(Shape);
        Constant->setInitVal(Unit.Ctx, Value);
      }
}

void findFaults(scythe_unit &Unit, const FunctionDecl *FD,
                std::vector<scythe_faulty_function> &Out) {
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  FD->getNameForDiagnostic(OS, Unit.Ctx.getPrintingPolicy(), /*Qualified=*/true);
  auto Add = [&](uint32_t Kind, SourceLocation Loc, StringRef Parameter = {}) {
    // A property is a macro.
    Loc = Unit.CI.getSourceManager().getExpansionLoc(Loc);
    Out.push_back({Kind, rawLoc(Loc), Unit.keep(Name), Unit.keep(Parameter)});
  };
  const FunctionDecl *First = FD->getCanonicalDecl();
  bool Differs = false;
  SourceLocation At;
  if (First != FD && freeFunctionShape(Unit, First) < 0) {
    shapeOf(Unit, FD, Differs, At);
    Add(SCYTHE_FREE_FUNCTION_LATER, At);
  }
  Differs = false;
  shapeOf(Unit, FD, Differs, At);
  if (Differs)
    Add(SCYTHE_FREE_FUNCTION_KINDS, At);
  if (const auto *Method = dyn_cast<CXXMethodDecl>(FD); Method && !Method->isStatic())
    Add(SCYTHE_FREE_FUNCTION_MEMBER, FD->getLocation());
  if (!FD->getReturnType()->isVoidType())
    Add(SCYTHE_FREE_FUNCTION_RESULT, FD->getLocation());
  if (FD->isVariadic())
    Add(SCYTHE_FREE_FUNCTION_VARIADIC, FD->getLocation());
  for (const ParmVarDecl *P : FD->parameters()) {
    if (P->hasDefaultArg() && !P->hasInheritedDefaultArg())
      Add(SCYTHE_FREE_FUNCTION_DEFAULT, P->getLocation(), P->getName());
    if (P->getType()->isReferenceType())
      Add(SCYTHE_FREE_FUNCTION_REFERENCE, P->getLocation(), P->getName());
  }
}

void emitFreeFunction(scythe_unit &Unit, FunctionDecl *FD) {
  ASTContext &Ctx = Unit.Ctx;
  auto *Template =
      dyn_cast_or_null<FunctionTemplateDecl>(declarationOfHeaders(Ctx, "emit_free_function"));
  if (!Template)
    return;
  FunctionDecl *First = FD->getCanonicalDecl();
  TemplateArgument Function(First, Ctx.getCanonicalType(Ctx.getPointerType(First->getType())));
  Sema &S = Unit.CI.getSema();
  SourceLocation Loc = FD->getLocation();
  if (FunctionDecl *Emit = S.InstantiateFunctionDeclaration(
          Template, TemplateArgumentList::CreateCopy(Ctx, {Function}), Loc))
    S.MarkFunctionReferenced(Loc, Emit);
}

const FunctionDecl *freeFunctionOf(QualType Name) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Name->getAsCXXRecordDecl());
  if (!Spec || !Spec->getIdentifier() || !isOfHeaders(Spec, "free_function"))
    return nullptr;
  const FunctionDecl *FD = argument(Spec);
  return FD ? canonicalFunction(FD) : nullptr;
}

const FunctionDecl *registeredFunction(scythe_unit &Unit, const VarDecl *VD) {
  if (!VD->hasAttr<AnnotateAttr>() || !VD->hasInit() || VD->isTemplated() ||
      !annotation(VD, "scythe::kernel_name"))
    return nullptr;
  const APValue *Value = VD->evaluateValue();
  if (!Value || !Value->isLValue())
    return nullptr;
  const auto *Base = Value->getLValueBase().dyn_cast<const ValueDecl *>();
  return dyn_cast_or_null<FunctionDecl>(Base);
}

extern "C" void scythe_describe_free_function(scythe_unit *Unit, scythe_decl Function,
                                              scythe_free_function *Out) {
  const auto *FD = static_cast<const FunctionDecl *>(Function);
  *Out = {};
  const scythe_str *Symbols = nullptr;
  size_t Count = 0;
  scythe_function_symbols(Unit, Function, &Symbols, &Count);
  if (Count)
    Out->symbol = Symbols[0];
  PrintingPolicy Policy(Unit->Ctx.getLangOpts());
  Policy.SuppressUnwrittenScope = true;
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  FD->getNameForDiagnostic(OS, Policy, /*Qualified=*/true);
  Out->name = Unit->keep(Name);
  Out->loc = rawLoc(FD->getLocation());
  const int Shape = freeFunctionShape(*Unit, FD->getMostRecentDecl());
  Out->dimensions = Shape < 0 ? 0 : static_cast<uint32_t>(Shape);
  std::vector<scythe_parameter> Parameters;
  for (const ParmVarDecl *P : FD->parameters())
    Parameters.push_back({Unit->keep(P->getName()), rawLoc(P->getLocation()), 0});
  Out->parameters = Unit->keep(llvm::ArrayRef<scythe_parameter>(Parameters));
  Out->parameter_count = Parameters.size();
  std::vector<scythe_str> Names;
  if (auto Found = Unit->KernelNames.find(FD->getCanonicalDecl()); Found != Unit->KernelNames.end())
    for (const std::string &Text : Found->second)
      Names.push_back(Unit->keep(Text));
  Out->registered = Unit->keep(llvm::ArrayRef<scythe_str>(Names));
  Out->registered_count = Names.size();
  Out->odr_hash = FD->isDefined() ? const_cast<FunctionDecl *>(FD)->getODRHash() : 0;
}

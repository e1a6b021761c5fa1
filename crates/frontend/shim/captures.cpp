// Describes the captures of the lambdas in a kernel's functor, and the variables that they mention.
// Another compiler may capture in another order.
#include "unit.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace {

// Finds the lambda expression at a position.
class FindLambda : public RecursiveASTVisitor<FindLambda> {
public:
  explicit FindLambda(SourceLocation Loc) : Loc(Loc) {}
  LambdaExpr *Found = nullptr;

  bool VisitLambdaExpr(LambdaExpr *E) {
    if (E->getLambdaClass()->getLocation() == Loc)
      Found = E;
    return !Found;
  }

private:
  SourceLocation Loc;
};

// Finds the variables of enclosing functions that a lambda mentions and may capture, in the text of
// the program, before templates are instantiated.
class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  Mentions(scythe_unit &Unit, LambdaExpr *Lambda, std::vector<scythe_mention> &Out)
      : Unit(Unit), Lambda(Lambda), Out(Out) {
    note(Lambda);
  }

  bool TraverseLambdaExpr(LambdaExpr *E) {
    note(E);
    ++Depth;
    bool Go = RecursiveASTVisitor::TraverseLambdaExpr(E);
    --Depth;
    return Go;
  }
  // Operands that are not evaluated, or that are evaluated at compile time, capture no variables.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  bool TraverseCXXTypeidExpr(CXXTypeidExpr *) { return true; }
  bool TraverseRequiresExpr(RequiresExpr *) { return true; }
  bool TraverseStaticAssertDecl(StaticAssertDecl *) { return true; }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &) { return true; }
  bool TraverseAttr(Attr *) { return true; }
  bool TraverseConstantExpr(ConstantExpr *) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    if (!S->isConstexpr())
      return RecursiveASTVisitor::TraverseIfStmt(S);
    return TraverseStmt(S->getInit()) && TraverseStmt(S->getThen()) && TraverseStmt(S->getElse());
  }
  bool TraverseCaseStmt(CaseStmt *S) { return TraverseStmt(S->getSubStmt()); }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const ValueDecl *D = E->getDecl();
    const auto *VD = dyn_cast<VarDecl>(D);
    if ((VD ? !VD->hasLocalStorage() : !isa<BindingDecl>(D)) || inside(D))
      return true;
    QualType T = D->getType();
    bool Constant =
        VD && (VD->isConstexpr() || (T.isConstQualified() &&
                                     (T->isDependentType() || T->isIntegralOrEnumerationType())));
    scythe_mention Mention{};
    Mention.name = Unit.keep(D->getNameAsString());
    Mention.declared = rawLoc(D->getLocation());
    Mention.loc = rawLoc(E->getLocation());
    Mention.flags = (D->isParameterPack() ? SCYTHE_MENTION_PACK : 0) |
                    (Constant ? SCYTHE_MENTION_CONSTANT : 0) | (Depth ? SCYTHE_MENTION_NESTED : 0);
    Out.push_back(Mention);
    return true;
  }

private:
  scythe_unit &Unit;
  LambdaExpr *Lambda;
  std::vector<scythe_mention> &Out;
  unsigned Depth = 0;
  llvm::SmallPtrSet<const ValueDecl *, 8> Introduced;

  void note(LambdaExpr *E) {
    for (const LambdaCapture &C : E->captures())
      if (E->isInitCapture(&C))
        Introduced.insert(C.getCapturedVar());
  }
  bool inside(const ValueDecl *D) const {
    if (Introduced.count(D))
      return true;
    for (const DeclContext *DC = D->getDeclContext(); DC; DC = DC->getParent())
      if (DC == Lambda->getCallOperator())
        return true;
    return false;
  }
};

// Returns the lambda in the text of the program, or null.
LambdaExpr *written(const CXXRecordDecl *Closure) {
  const FunctionDecl *Function = nullptr;
  for (const DeclContext *DC = Closure->getDeclContext(); DC; DC = DC->getParent())
    if (const auto *FD = dyn_cast<FunctionDecl>(DC))
      Function = FD;
  if (!Function)
    return nullptr;
  if (const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern())
    Function = Pattern;
  FindLambda Find(Closure->getLocation());
  if (Stmt *Body = Function->getBody())
    Find.TraverseStmt(Body);
  return Find.Found;
}

void describe(scythe_unit &Unit, const CXXRecordDecl *RD, std::vector<scythe_closure> &Out,
              llvm::SmallPtrSetImpl<const CXXRecordDecl *> &Seen) {
  if (!RD->hasDefinition() || !specialKind(RD->getDefinition()).empty() ||
      !Seen.insert(RD->getDefinition()).second)
    return;
  RD = RD->getDefinition();
  if (RD->isLambda() && RD->getLambdaCaptureDefault() != LCD_None) {
    std::vector<scythe_capture> Captures;
    for (const LambdaCapture &C : RD->captures()) {
      const ValueDecl *D = C.capturesVariable() ? C.getCapturedVar() : nullptr;
      const auto *VD = dyn_cast_or_null<VarDecl>(D);
      scythe_capture Capture{};
      Capture.name = Unit.keep(D ? D->getNameAsString() : "this");
      Capture.declared = rawLoc(D ? D->getLocation() : C.getLocation());
      Capture.flags =
          (C.isExplicit() ? SCYTHE_CAPTURE_EXPLICIT : 0) |
          (VD && VD->isUsableInConstantExpressions(Unit.Ctx) ? SCYTHE_CAPTURE_CONSTANT : 0);
      Captures.push_back(Capture);
    }
    std::vector<scythe_mention> Mentioned;
    LambdaExpr *Written = written(RD);
    if (Written) {
      Mentions(Unit, Written, Mentioned).TraverseStmt(Written->getBody());
      const SourceManager &SM = Unit.Ctx.getSourceManager();
      std::stable_sort(Mentioned.begin(), Mentioned.end(),
                       [&](const scythe_mention &A, const scythe_mention &B) {
                         return SM.isBeforeInTranslationUnit(
                             SourceLocation::getFromRawEncoding(A.loc),
                             SourceLocation::getFromRawEncoding(B.loc));
                       });
    }
    scythe_closure Closure{};
    Closure.loc = rawLoc(RD->getLocation());
    Closure.flags = (RD->isGenericLambda() ? SCYTHE_CLOSURE_GENERIC : 0) |
                    (Written ? SCYTHE_CLOSURE_MENTIONS_KNOWN : 0);
    Closure.captures = Unit.keep(llvm::ArrayRef<scythe_capture>(Captures));
    Closure.capture_count = Captures.size();
    Closure.mentions = Unit.keep(llvm::ArrayRef<scythe_mention>(Mentioned));
    Closure.mention_count = Mentioned.size();
    Out.push_back(Closure);
  }
  auto Look = [&](QualType T) {
    if (const CXXRecordDecl *Inner = Unit.Ctx.getBaseElementType(T)->getAsCXXRecordDecl())
      describe(Unit, Inner, Out, Seen);
  };
  for (const CXXBaseSpecifier &B : RD->bases())
    Look(B.getType());
  for (const FieldDecl *F : RD->fields())
    Look(F->getType());
}

} // namespace

// Whether `__x` is the name of a capture `x` in g++. It may also be a keyword or a macro, such as
// `__null`.
static bool isPlainName(scythe_unit &Unit, llvm::StringRef Captured) {
  // Traits and other keywords that only g++ has, and macros that clang has only for other targets.
  static const llvm::StringRef Prefixes[] = {"is_",  "has_",       "builtin",     "remove_",
                                             "add_", "reference_", "transaction_"};
  static const llvm::StringRef Others[] = {
      "bases",  "direct_bases", "decltype", "float80", "ibm128", "linux",        "unix",
      "x86_64", "amd64",        "k8",       "iamcu",   "bf16",   "typeof_unqual"};
  if (llvm::any_of(Prefixes,
                   [&](llvm::StringRef Prefix) { return Captured.starts_with(Prefix); }) ||
      llvm::is_contained(Others, Captured) || Captured.ends_with("__"))
    return false;
  IdentifierInfo &Name = Unit.Ctx.Idents.get("__" + Captured.str());
  return !Name.isKeyword(Unit.Ctx.getLangOpts()) && !Name.hadMacroDefinition();
}

llvm::DenseMap<const FieldDecl *, std::string> gnuNames(scythe_unit &Unit,
                                                        const CXXRecordDecl *Closure) {
  llvm::DenseMap<const FieldDecl *, std::string> Names;
  LambdaExpr *Written = written(Closure);
  if (!Written)
    return Names;
  llvm::DenseSet<scythe_loc> Packs;
  for (const LambdaCapture &C : Written->captures())
    if (C.capturesVariable() && (C.isPackExpansion() || C.getCapturedVar()->isParameterPack()))
      Packs.insert(rawLoc(C.getCapturedVar()->getLocation()));
  std::vector<scythe_mention> Mentioned;
  Mentions(Unit, Written, Mentioned).TraverseStmt(Written->getBody());
  for (const scythe_mention &M : Mentioned)
    if (M.flags & SCYTHE_MENTION_PACK)
      Packs.insert(M.declared);
  for (const auto &[C, F] : llvm::zip(Closure->captures(), Closure->fields())) {
    if (C.capturesThis())
      Names[F] = "__this";
    else if (C.capturesVariable() && !Packs.count(rawLoc(C.getCapturedVar()->getLocation())))
      if (std::string Name = C.getCapturedVar()->getNameAsString(); isPlainName(Unit, Name))
        Names[F] = "__" + Name;
  }
  return Names;
}

extern "C" void scythe_describe_closures(scythe_unit *Unit, scythe_decl Entry,
                                         const scythe_closure **Out, size_t *Count) {
  const auto *FD = static_cast<const FunctionDecl *>(Entry);
  std::vector<scythe_closure> Closures;
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Seen;
  if (const CXXRecordDecl *Functor = FD->getParamDecl(0)->getType()->getAsCXXRecordDecl())
    describe(*Unit, Functor, Closures, Seen);
  *Out = Unit->keep(llvm::ArrayRef<scythe_closure>(Closures));
  *Count = Closures.size();
}

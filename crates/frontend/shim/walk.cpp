// Walks a function body and collects the events that matter to device code, in source order.
//
// The walk visits the code that code generation emits. It skips operands that are not evaluated,
// discarded branches, branches whose condition folds to a constant, and initialisers that clang
// evaluated at compile time. It visits default arguments, default member initialisers, and the
// destructors of locals, temporaries, members and bases.
#include "unit.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtSYCL.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/DenseSet.h"

using namespace clang;

namespace {

class Walker {
public:
  explicit Walker(scythe_unit &Unit) : Unit(Unit), Ctx(Unit.Ctx) {}

  std::vector<scythe_event> Events;

  void function(const FunctionDecl *FD) {
    type(FD->getLocation(), FD->getReturnType());
    for (const ParmVarDecl *P : FD->parameters())
      type(P->getLocation(), P->getType());
    if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(FD))
      for (const CXXCtorInitializer *Init : Ctor->inits())
        stmt(Init->getInit());
    stmt(FD->getBody());
    if (const auto *Dtor = dyn_cast<CXXDestructorDecl>(FD))
      subobjects(Dtor);
    if (FD->hasAttr<SYCLKernelEntryPointAttr>())
      for (const ParmVarDecl *P : FD->parameters())
        destroy(FD->getLocation(), P->getType());
    for (const Expr *E : Conversions)
      type(E->getExprLoc(), E->getType());
  }

private:
  scythe_unit &Unit;
  ASTContext &Ctx;
  llvm::DenseSet<const Type *> SeenTypes;
  std::vector<const Expr *> Conversions;

  scythe_event &emit(scythe_event_kind Kind, SourceLocation Loc) {
    scythe_event Event{};
    Event.kind = Kind;
    Event.loc = rawLoc(Loc);
    Events.push_back(Event);
    return Events.back();
  }

  void call(SourceLocation Loc, const FunctionDecl *FD,
            scythe_event_kind Kind = SCYTHE_EVENT_CALL) {
    scythe_event &Event = emit(Kind, Loc);
    Event.decl = canonicalFunction(FD);
    Event.decl_loc = rawLoc(FD->getLocation());
  }

  void destroy(SourceLocation Loc, QualType T) {
    const CXXRecordDecl *RD = Ctx.getBaseElementType(T)->getAsCXXRecordDecl();
    if (!RD || !RD->hasDefinition() || RD->hasTrivialDestructor())
      return;
    if (const CXXDestructorDecl *D = RD->getDestructor())
      call(Loc, D);
  }

  void subobjects(const CXXDestructorDecl *Dtor) {
    const CXXRecordDecl *RD = Dtor->getParent();
    for (const FieldDecl *F : RD->fields())
      destroy(Dtor->getLocation(), F->getType());
    for (const CXXBaseSpecifier &B : RD->bases())
      destroy(Dtor->getLocation(), B.getType());
  }

  void type(SourceLocation Loc, QualType T) {
    T = T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
    if (T.isNull() || T->isDependentType() || T->isVoidType() ||
        !SeenTypes.insert(T.getTypePtr()).second)
      return;
    const TypeUse &Use = typeUse(Unit, T);
    if (Use.LongDouble)
      emit(SCYTHE_EVENT_LONG_DOUBLE, Loc);
    if (Use.Double)
      emit(SCYTHE_EVENT_DOUBLE, Loc);
    if (Use.Half)
      emit(SCYTHE_EVENT_HALF, Loc);
    for (const CXXRecordDecl *RD : Use.Decorated) {
      scythe_attribute A = describeAttribute(Unit, usesAspects(RD));
      scythe_event &Event = emit(SCYTHE_EVENT_DECORATED, Loc);
      Event.text = Unit.keep(RD->getNameAsString());
      Event.values = A.values;
      Event.value_count = A.value_count;
    }
  }

  // Returns the constant value of a condition, if code generation knows it.
  std::optional<bool> constant(const Expr *Cond) {
    if (!Cond || Cond->isValueDependent())
      return std::nullopt;
    bool Result = false;
    Expr::EvalResult Value;
    if (!Cond->EvaluateAsRValue(Value, Ctx) || Value.HasSideEffects)
      return std::nullopt;
    if (!Cond->EvaluateAsBooleanCondition(Result, Ctx))
      return std::nullopt;
    return Result;
  }

  void global(SourceLocation Loc, const VarDecl *VD) {
    scythe_event &Event = emit(SCYTHE_EVENT_GLOBAL, Loc);
    const VarDecl *Definition = VD->getDefinition(Ctx);
    const VarDecl *WithInit = nullptr;
    const Expr *Init = VD->getAnyInitializer(WithInit);
    QualType T = VD->getType();
    uint32_t Flags = 0;
    if (T->isReferenceType() ? T->getPointeeType().isConstQualified()
                             : T.isConstant(Ctx) || Ctx.getBaseElementType(T).isConstQualified()) {
      const CXXRecordDecl *RD = Ctx.getBaseElementType(T)->getAsCXXRecordDecl();
      if (!RD || !RD->hasDefinition() || !RD->hasMutableFields())
        Flags |= SCYTHE_GLOBAL_CONST;
    }
    if (!Init || WithInit->hasConstantInitialization() ||
        (!Init->isValueDependent() && Init->isConstantInitializer(Ctx, T->isReferenceType())))
      Flags |= SCYTHE_GLOBAL_CONSTANT_INIT;
    if (VD->isStaticLocal())
      Flags |= SCYTHE_GLOBAL_STATIC_LOCAL;
    if (VD->getTLSKind() != VarDecl::TLS_None)
      Flags |= SCYTHE_GLOBAL_THREAD_LOCAL;
    if (!Definition && !Init)
      Flags |= SCYTHE_GLOBAL_UNDEFINED;
    if (const CXXRecordDecl *RD = Ctx.getBaseElementType(T)->getAsCXXRecordDecl();
        RD && !specialKind(RD).empty())
      Flags |= SCYTHE_GLOBAL_SPECIAL;
    Event.flags = Flags;
    Event.decl = VD->getCanonicalDecl();
    Event.decl_loc = rawLoc((Definition ? Definition : VD)->getLocation());
    Event.text = Unit.keep(VD->getQualifiedNameAsString());
  }

  bool decorated(const VarDecl *VD) {
    const CXXRecordDecl *RD = Ctx.getBaseElementType(VD->getType())->getAsCXXRecordDecl();
    return RD && annotation(RD, "__sycl_detail__::add_ir_global_variable_attributes");
  }

  void variable(const VarDecl *VD) {
    if (isConstant(VD)) {
      remainder(VD->getInit());
      return;
    }
    type(VD->getLocation(), VD->getType());
    if (VD->hasLocalStorage() && !isa<ParmVarDecl>(VD))
      if (const CXXRecordDecl *RD = VD->getType()->getAsCXXRecordDecl();
          RD && specialKind(RD) == "work_group_static")
        // A variable of this class in a block is static without the keyword.
        const_cast<VarDecl *>(VD)->setStorageClass(SC_Static);
    if (VD->isStaticLocal()) {
      global(VD->getLocation(), VD);
      return;
    }
    if (VD->hasExternalStorage())
      return;
    QualType T = VD->getType().getCanonicalType();
    if (T->isVariableArrayType()) {
      emit(SCYTHE_EVENT_VARIABLE_ARRAY, VD->getLocation()).text = Unit.keep(VD->getNameAsString());
    } else if (const auto *A = Ctx.getAsConstantArrayType(T); A && A->isZeroSize()) {
      emit(SCYTHE_EVENT_ZERO_ARRAY, VD->getLocation()).text = Unit.keep(VD->getNameAsString());
    }
    if (const Expr *Init = VD->getInit()) {
      bool Evaluated = !Init->isValueDependent() && VD->mightBeUsableInConstantExpressions(Ctx) &&
                       VD->evaluateValue() != nullptr;
      if (!Evaluated)
        stmt(Init);
    }
    destroy(VD->getLocation(), T);
    if (const auto *Decomposition = dyn_cast<DecompositionDecl>(VD))
      for (const BindingDecl *B : Decomposition->bindings())
        if (const VarDecl *Holding = B->getHoldingVar())
          variable(Holding);
  }

  // Returns the function that a constant function pointer designates.
  const FunctionDecl *constantCallee(const Expr *Callee) {
    if (Callee->isValueDependent())
      return nullptr;
    Expr::EvalResult Value;
    if (!Callee->EvaluateAsRValue(Value, Ctx) || Value.HasSideEffects)
      return nullptr;
    if (Value.Val.isLValue())
      return dyn_cast_or_null<FunctionDecl>(
          Value.Val.getLValueBase().dyn_cast<const ValueDecl *>());
    if (Value.Val.isMemberPointer())
      return dyn_cast_or_null<FunctionDecl>(Value.Val.getMemberPointerDecl());
    return nullptr;
  }

  void callExpr(const CallExpr *CE) {
    const Expr *Callee = CE->getCallee()->IgnoreParenImpCasts();
    if (const FunctionDecl *FD = CE->getDirectCallee()) {
      if (FD->isImmediateFunction())
        return;
      const auto *Member = dyn_cast<MemberExpr>(Callee);
      const auto *Method = dyn_cast<CXXMethodDecl>(FD);
      if (FD->getBuiltinID() == Builtin::BI__builtin_constant_p ||
          FD->getBuiltinID() == Builtin::BI__builtin_object_size)
        return;
      SourceLocation Loc = CE->getExprLoc();
      if (Method && Method->isVirtual() && Member && !Member->hasQualifier()) {
        const CXXMethodDecl *Known = Method->getDevirtualizedMethod(Member->getBase(), false);
        if (Known)
          call(Loc, Known);
        else
          call(Loc, Method, SCYTHE_EVENT_VIRTUAL_CALL);
      } else if (!(Method && Method->isTrivial())) {
        call(Loc, FD);
      }
      if (Member)
        stmt(Member->getBase());
    } else if (isa<CXXPseudoDestructorExpr>(Callee)) {
      stmt(cast<CXXPseudoDestructorExpr>(Callee)->getBase());
    } else if (const FunctionDecl *FD = constantCallee(CE->getCallee())) {
      call(CE->getExprLoc(), FD);
    } else {
      emit(SCYTHE_EVENT_INDIRECT_CALL, CE->getExprLoc());
      stmt(CE->getCallee());
    }
    for (const Expr *Arg : CE->arguments())
      argument(Arg, CE->getDirectCallee());
  }

  void children(const Stmt *S) {
    for (const Stmt *Child : S->children())
      stmt(Child);
  }

  void branches(const IfStmt *If) {
    stmt(If->getInit());
    stmt(If->getConditionVariableDeclStmt());
    if (If->isConsteval()) {
      stmt(If->isNonNegatedConsteval() ? If->getElse() : If->getThen());
      return;
    }
    if (If->isConstexpr()) {
      if (std::optional<const Stmt *> Taken = If->getNondiscardedCase(Ctx)) {
        stmt(*Taken);
        return;
      }
    }
    std::optional<bool> Known = If->getConditionVariable() ? std::nullopt : constant(If->getCond());
    if (!Known)
      stmt(If->getCond());
    if (Known.value_or(true))
      stmt(If->getThen());
    if (!Known.value_or(false))
      stmt(If->getElse());
  }

  // Visits operands first, so that a type gets the position of its cause, such as the literal of
  // `x * 4.0`. The conversion of `x` is a consequence. It counts if no other expression in the
  // function has the type.
  void expression(const Expr *E) {
    evaluated(E);
    if (isa<ImplicitCastExpr>(E))
      Conversions.push_back(E);
    else
      type(E->getExprLoc(), E->getType());
  }

  // Removes the nodes that wrap a value without a change.
  static const Expr *bare(const Expr *E) {
    for (;;) {
      E = E->IgnoreParens();
      if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
        E = Temporary->getSubExpr();
      else if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E))
        E = Default->getExpr();
      else if (const auto *Full = dyn_cast<FullExpr>(E))
        E = Full->getSubExpr();
      else if (const auto *Parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
        E = Parameter->getReplacement();
      else
        return E;
    }
  }

  // Whether a variable is a constant of type double. Its value is the value of its initialiser.
  bool isConstant(const VarDecl *VD) {
    QualType T = VD->getType();
    return T.isConstQualified() && !T.isVolatileQualified() && isDouble(T) &&
           VD->isLocalVarDecl() && !VD->isStaticLocal() && VD->hasInit() &&
           !VD->getInit()->isValueDependent() && folds(VD->getInit());
  }

  static bool isDouble(QualType T) { return T->isSpecificBuiltinType(BuiltinType::Double); }

  // Whether the expression is a constant, or one of several constants, after code generation and
  // the pass `literals` have folded it. They fold literals and constants, arithmetic on them,
  // choices between them, and calls of constexpr functions.
  bool folds(const Expr *E) {
    E = bare(E);
    if (isa<FloatingLiteral>(E) || isa<IntegerLiteral>(E))
      return true;
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return folds(Cast->getSubExpr());
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return (Unary->getOpcode() == UO_Minus || Unary->getOpcode() == UO_Plus) &&
             folds(Unary->getSubExpr());
    if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      return (Binary->isMultiplicativeOp() || Binary->isAdditiveOp()) && folds(Binary->getLHS()) &&
             folds(Binary->getRHS());
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
      std::optional<bool> Known = constant(Choice->getCond());
      return (!Known.value_or(true) || folds(Choice->getTrueExpr())) &&
             (Known.value_or(false) || folds(Choice->getFalseExpr()));
    }
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      const FunctionDecl *FD = Call->getDirectCallee();
      return FD && FD->isConstexpr() && isDouble(Call->getType()) && !Call->isValueDependent() &&
             Call->isEvaluatable(Ctx);
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    if (!Ref || Ref->isNonOdrUse() == NOUR_Constant)
      return Ref;
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    return VD && !Ref->refersToEnclosingVariableOrCapture() && isConstant(VD);
  }

  // Visits the parts of a folded expression that are still evaluated or emitted: conditions of
  // choices, and calls.
  void remainder(const Expr *E) {
    E = bare(E);
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
      std::optional<bool> Known = constant(Choice->getCond());
      if (!Known)
        stmt(Choice->getCond());
      if (Known.value_or(true))
        remainder(Choice->getTrueExpr());
      if (!Known.value_or(false))
        remainder(Choice->getFalseExpr());
    } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
      if (const FunctionDecl *FD = Call->getDirectCallee(); FD && !FD->isImmediateFunction())
        call(Call->getExprLoc(), FD);
    } else {
      for (const Stmt *Child : E->children())
        if (const auto *Part = dyn_cast_or_null<Expr>(Child))
          remainder(Part);
    }
  }

  // Visits an argument of a call. A constant of type double for a function of SYCL's headers is not
  // a use of double. The function is compiled for the constant, and only the uses that remain in
  // the result count.
  void argument(const Expr *Arg, const FunctionDecl *Callee) {
    if (Callee && isDouble(Arg->getType()) && insideNamespace(Callee, "sycl") &&
        !Arg->isValueDependent() && folds(Arg))
      remainder(Arg);
    else
      stmt(Arg);
  }

  void evaluated(const Expr *E) {
    switch (E->getStmtClass()) {
    // Not evaluated, or evaluated at compile time.
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::CXXNoexceptExprClass:
    case Stmt::TypeTraitExprClass:
    case Stmt::RequiresExprClass:
    case Stmt::ConceptSpecializationExprClass:
    case Stmt::OffsetOfExprClass:
      return;
    case Stmt::ConstantExprClass:
      if (!cast<ConstantExpr>(E)->hasAPValueResult())
        children(E);
      return;
    case Stmt::CXXTypeidExprClass:
      emit(SCYTHE_EVENT_TYPEID, E->getExprLoc());
      return;
    case Stmt::CXXDynamicCastExprClass:
      if (cast<CXXDynamicCastExpr>(E)->getCastKind() == CK_Dynamic)
        emit(SCYTHE_EVENT_DYNAMIC_CAST, E->getExprLoc());
      children(E);
      return;
    case Stmt::CXXThrowExprClass:
      emit(SCYTHE_EVENT_THROW, E->getExprLoc());
      return;
    case Stmt::VAArgExprClass:
      emit(SCYTHE_EVENT_VA_ARG, E->getExprLoc());
      children(E);
      return;
    case Stmt::CXXDefaultArgExprClass:
      stmt(cast<CXXDefaultArgExpr>(E)->getExpr());
      return;
    case Stmt::CXXDefaultInitExprClass:
      stmt(cast<CXXDefaultInitExpr>(E)->getExpr());
      return;
    case Stmt::OpaqueValueExprClass:
      stmt(cast<OpaqueValueExpr>(E)->getSourceExpr());
      return;
    case Stmt::GenericSelectionExprClass:
      if (const auto *G = cast<GenericSelectionExpr>(E); !G->isResultDependent())
        stmt(G->getResultExpr());
      return;
    case Stmt::ChooseExprClass:
      stmt(cast<ChooseExpr>(E)->getChosenSubExpr());
      return;
    case Stmt::SubstNonTypeTemplateParmExprClass:
      stmt(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement());
      return;
    case Stmt::LambdaExprClass: {
      const auto *L = cast<LambdaExpr>(E);
      call(L->getBeginLoc(), L->getCallOperator(), SCYTHE_EVENT_LAMBDA);
      for (const Expr *Init : L->capture_inits())
        stmt(Init);
      return;
    }
    case Stmt::PseudoObjectExprClass:
      for (const Expr *Semantic : cast<PseudoObjectExpr>(E)->semantics())
        stmt(Semantic);
      return;
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
    case Stmt::CXXStaticCastExprClass:
      // A constant that is converted to another type is a constant of that type.
      if (CastKind Kind = cast<CastExpr>(E)->getCastKind();
          (Kind == CK_FloatingCast || Kind == CK_FloatingToIntegral) &&
          folds(cast<CastExpr>(E)->getSubExpr())) {
        remainder(cast<CastExpr>(E)->getSubExpr());
        return;
      }
      children(E);
      return;
    case Stmt::ConditionalOperatorClass: {
      const auto *C = cast<ConditionalOperator>(E);
      std::optional<bool> Known = constant(C->getCond());
      if (!Known)
        stmt(C->getCond());
      if (Known.value_or(true))
        stmt(C->getTrueExpr());
      if (!Known.value_or(false))
        stmt(C->getFalseExpr());
      return;
    }
    case Stmt::BinaryOperatorClass: {
      const auto *B = cast<BinaryOperator>(E);
      if (B->isLogicalOp()) {
        std::optional<bool> Known = constant(B->getLHS());
        if (!Known)
          stmt(B->getLHS());
        if (Known.value_or(B->getOpcode() == BO_LAnd) == (B->getOpcode() == BO_LAnd))
          stmt(B->getRHS());
        return;
      }
      children(E);
      return;
    }
    case Stmt::CallExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::UserDefinedLiteralClass:
      callExpr(cast<CallExpr>(E));
      return;
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass: {
      const auto *C = cast<CXXConstructExpr>(E);
      const CXXConstructorDecl *Ctor = C->getConstructor();
      if (!Ctor->isTrivial() && !Ctor->isImmediateFunction())
        call(C->getExprLoc(), Ctor);
      for (const Expr *Arg : C->arguments())
        argument(Arg, Ctor);
      return;
    }
    case Stmt::CXXInheritedCtorInitExprClass:
      call(E->getExprLoc(), cast<CXXInheritedCtorInitExpr>(E)->getConstructor());
      return;
    case Stmt::CXXBindTemporaryExprClass:
      destroy(E->getExprLoc(), E->getType());
      children(E);
      return;
    case Stmt::CXXNewExprClass: {
      const auto *N = cast<CXXNewExpr>(E);
      if (const FunctionDecl *New = N->getOperatorNew())
        call(N->getExprLoc(), New);
      children(E);
      return;
    }
    case Stmt::CXXDeleteExprClass: {
      const auto *D = cast<CXXDeleteExpr>(E);
      if (const FunctionDecl *Delete = D->getOperatorDelete())
        call(D->getExprLoc(), Delete);
      destroy(D->getExprLoc(), D->getDestroyedType());
      children(E);
      return;
    }
    case Stmt::DeclRefExprClass: {
      const auto *Ref = cast<DeclRefExpr>(E);
      if (Ref->isNonOdrUse() != NOUR_None) {
        // Code generation may still emit a constant, with the properties of its class.
        const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
        if (VD && Ref->isNonOdrUse() == NOUR_Constant && VD->hasGlobalStorage() && decorated(VD))
          global(Ref->getExprLoc(), VD);
        return;
      }
      if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl())) {
        if (VD->hasGlobalStorage())
          global(Ref->getExprLoc(), VD);
      } else if (const auto *FD = dyn_cast<FunctionDecl>(Ref->getDecl())) {
        if (!FD->isImmediateFunction())
          call(Ref->getExprLoc(), FD, SCYTHE_EVENT_ADDRESS);
      }
      return;
    }
    case Stmt::MemberExprClass: {
      const auto *M = cast<MemberExpr>(E);
      if (const auto *VD = dyn_cast<VarDecl>(M->getMemberDecl());
          VD && M->isNonOdrUse() == NOUR_None)
        global(M->getExprLoc(), VD);
      stmt(M->getBase());
      return;
    }
    default:
      children(E);
    }
  }

  void stmt(const Stmt *S) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<Expr>(S)) {
      expression(E);
      return;
    }
    switch (S->getStmtClass()) {
    case Stmt::SYCLKernelCallStmtClass:
      stmt(cast<SYCLKernelCallStmt>(S)->getOriginalStmt());
      return;
    case Stmt::DeclStmtClass:
      for (const Decl *D : cast<DeclStmt>(S)->decls())
        if (const auto *VD = dyn_cast<VarDecl>(D))
          variable(VD);
      return;
    case Stmt::IfStmtClass:
      branches(cast<IfStmt>(S));
      return;
    case Stmt::WhileStmtClass:
      if (const auto *W = cast<WhileStmt>(S);
          !W->getConditionVariable() && constant(W->getCond()) == false)
        return;
      children(S);
      return;
    case Stmt::ForStmtClass: {
      const auto *F = cast<ForStmt>(S);
      stmt(F->getInit());
      if (F->getCond() && !F->getConditionVariable() && constant(F->getCond()) == false)
        return;
      stmt(F->getConditionVariableDeclStmt());
      stmt(F->getCond());
      stmt(F->getBody());
      stmt(F->getInc());
      return;
    }
    case Stmt::CXXTryStmtClass:
      emit(SCYTHE_EVENT_TRY, S->getBeginLoc());
      stmt(cast<CXXTryStmt>(S)->getTryBlock());
      return;
    case Stmt::GCCAsmStmtClass:
    case Stmt::MSAsmStmtClass:
      emit(SCYTHE_EVENT_ASM, S->getBeginLoc());
      children(S);
      return;
    default:
      children(S);
    }
  }
};

} // namespace

extern "C" void scythe_walk_function(scythe_unit *Unit, scythe_decl Function, scythe_events *Out) {
  Walker W(*Unit);
  const auto *FD = static_cast<const FunctionDecl *>(Function);
  if (FD->doesThisDeclarationHaveABody() || isa<CXXDestructorDecl>(FD))
    W.function(FD);
  Out->data = Unit->keep(llvm::ArrayRef<scythe_event>(W.Events));
  Out->size = W.Events.size();
}

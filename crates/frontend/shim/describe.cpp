// Describes functions, kernels, attributes, types and positions.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"
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

static const Expr *plain(const Expr *E) {
  return E->IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts();
}

// Returns the characters of a string literal, of a constant array, or behind a constant pointer.
static std::optional<std::string> characters(scythe_unit &Unit, const Expr *Arg) {
  const Expr *E = plain(Arg);
  if (const auto *Literal = dyn_cast<StringLiteral>(E))
    return Literal->isOrdinary() || Literal->isUTF8()
               ? std::optional<std::string>(Literal->getString())
               : std::nullopt;
  QualType T = E->getType();
  const Type *Element =
      T->isArrayType() ? T->getArrayElementTypeNoTypeQual() : T->getPointeeOrArrayElementType();
  if (!(T->isArrayType() || T->isPointerType()) || !Element->isCharType())
    return std::nullopt;
  if (T->isPointerType())
    return Arg->tryEvaluateString(Unit.Ctx);
  const VarDecl *Variable = nullptr;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    Variable = dyn_cast<VarDecl>(Ref->getDecl());
  else if (const auto *Member = dyn_cast<MemberExpr>(E))
    Variable = dyn_cast<VarDecl>(Member->getMemberDecl());
  const APValue *Value =
      Variable && Variable->getAnyInitializer() ? Variable->evaluateValue() : nullptr;
  if (!Value || !Value->isArray())
    return std::nullopt;
  std::string Text;
  for (unsigned I = 0; I < Value->getArrayInitializedElts(); ++I) {
    const APValue &Char = Value->getArrayInitializedElt(I);
    if (!Char.isInt() || Char.getInt() == 0)
      break;
    Text.push_back(static_cast<char>(Char.getInt().getExtValue()));
  }
  return Text;
}

// Returns the nearest number in 64 signed bits. No device supports larger sizes.
static int64_t nearest(const llvm::APSInt &Value) {
  if (Value.isRepresentableByInt64())
    return Value.getExtValue();
  return Value.isNegative() ? INT64_MIN : INT64_MAX;
}

static void describeValue(scythe_unit &Unit, const APValue &Value, QualType T,
                          std::vector<scythe_value> &Out);

// Appends the elements of a class or array of constants, in order. The bases of libstdc++'s tuple
// hold its elements in reverse order.
static void describeElements(scythe_unit &Unit, const APValue &Value, QualType T,
                             std::vector<scythe_value> &Out) {
  if (Value.isArray()) {
    QualType Element = Unit.Ctx.getAsArrayType(T)->getElementType();
    for (unsigned I = 0; I < Value.getArraySize(); ++I)
      describeElements(Unit,
                       I < Value.getArrayInitializedElts() ? Value.getArrayInitializedElt(I)
                                                           : Value.getArrayFiller(),
                       Element, Out);
    return;
  }
  if (!Value.isStruct()) {
    describeValue(Unit, Value, T, Out);
    return;
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  unsigned Base = 0;
  bool Reversed = RD->getIdentifier() && RD->getName() == "_Tuple_impl" && RD->isInStdNamespace();
  std::vector<scythe_value> Later;
  for (const CXXBaseSpecifier &B : RD->bases()) {
    describeElements(Unit, Value.getStructBase(Base), B.getType(),
                     Reversed && Base == 0 && RD->getNumBases() > 1 ? Later : Out);
    ++Base;
  }
  for (const FieldDecl *F : RD->fields())
    describeElements(Unit, Value.getStructField(F->getFieldIndex()), F->getType(), Out);
  Out.insert(Out.end(), Later.begin(), Later.end());
}

static void describeValue(scythe_unit &Unit, const APValue &Value, QualType T,
                          std::vector<scythe_value> &Out) {
  scythe_value V{};
  V.kind = SCYTHE_VALUE_OTHER;
  T = T.getCanonicalType().getUnqualifiedType();
  if (Value.isInt()) {
    llvm::APSInt I = Value.getInt();
    bool Wide = !I.isRepresentableByInt64() && !(I.isUnsigned() && I.getActiveBits() <= 64);
    V.integer =
        Wide ? 0 : static_cast<int64_t>(I.isUnsigned() ? I.getZExtValue() : I.getSExtValue());
    const auto *B = T->getAs<BuiltinType>();
    bool Character =
        B && (B->getKind() == BuiltinType::Char_S || B->getKind() == BuiltinType::Char_U ||
              T->isChar8Type() || T->isChar16Type() || T->isChar32Type() || T->isWideCharType());
    if (Wide)
      V.kind = SCYTHE_VALUE_OTHER;
    else if (T->isBooleanType())
      V.kind = SCYTHE_VALUE_BOOLEAN;
    else if (Character)
      V.kind = SCYTHE_VALUE_CHARACTER;
    else
      V.kind = I.isUnsigned() ? SCYTHE_VALUE_UNSIGNED : SCYTHE_VALUE_SIGNED;
  } else if (Value.isFloat()) {
    llvm::APFloat F = Value.getFloat();
    bool Loses = false;
    F.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Loses);
    V.kind = SCYTHE_VALUE_FLOATING;
    V.floating = F.convertToDouble();
  } else if ((Value.isStruct() && !T->isUnionType()) || Value.isArray()) {
    std::vector<scythe_value> Elements;
    describeElements(Unit, Value, T, Elements);
    V.kind = SCYTHE_VALUE_TUPLE;
    V.integer = static_cast<int64_t>(Elements.size());
    Out.push_back(V);
    Out.insert(Out.end(), Elements.begin(), Elements.end());
    return;
  }
  if (V.kind == SCYTHE_VALUE_OTHER)
    V.text = Unit.keep(T.getAsString(Unit.Ctx.getPrintingPolicy()));
  Out.push_back(V);
}

static void describeArgument(scythe_unit &Unit, const Expr *Arg, std::vector<scythe_value> &Out) {
  if (std::optional<std::string> Text = characters(Unit, Arg)) {
    scythe_value V{};
    V.kind = SCYTHE_VALUE_TEXT;
    V.text = Unit.keep(*Text);
    Out.push_back(V);
    return;
  }
  Expr::EvalResult Value;
  if (Arg->EvaluateAsRValue(Value, Unit.Ctx) && Value.Val.hasValue() && !Value.HasSideEffects) {
    describeValue(Unit, Value.Val, Arg->getType(), Out);
    return;
  }
  describeValue(Unit, APValue(), Arg->getType(), Out);
}

bool listsProperties(const AnnotateAttr *A) {
  return A->getAnnotation().starts_with("__sycl_detail__::add_ir_");
}

const AnnotateAttr *annotation(const Decl *D, llvm::StringRef Text) {
  for (const auto *A : D->specific_attrs<AnnotateAttr>())
    if (A->getAnnotation() == Text)
      return A;
  return nullptr;
}

scythe_attribute describeAttribute(scythe_unit &Unit, const AnnotateAttr *A) {
  scythe_attribute Out{};
  Out.name = Unit.keep(A->getAnnotation());
  Out.loc = rawLoc(A->getLocation());
  std::vector<scythe_value> Arguments;
  for (const Expr *Arg : A->args())
    if (!Arg->isValueDependent())
      describeArgument(Unit, Arg, Arguments);
  Out.arguments = Unit.keep(llvm::ArrayRef<scythe_value>(Arguments));
  Out.argument_count = Arguments.size();
  if (listsProperties(A))
    return Out;
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
      Values.push_back(nearest(Value.Val.getInt()));
  }
  Out.values = Unit.keep(llvm::ArrayRef<int64_t>(Values));
  Out.value_count = Values.size();
  return Out;
}

const AnnotateAttr *usesAspects(const Decl *D) {
  return annotation(D, "sycl_detail::uses_aspects");
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

extern "C" void scythe_describe_function(scythe_unit *Unit, scythe_decl Function,
                                         scythe_function *Out) {
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
    // Clang expands builtin functions such as std::move.
    bool Library =
        Ctx.BuiltinInfo.isPredefinedLibFunction(ID) && !Ctx.BuiltinInfo.isInStdNamespace(ID);
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
  if (FD->isConstexpr())
    Flags |= SCYTHE_FUNCTION_CONSTEXPR;
  Out->flags = Flags;

  // The hash of a method is the hash in the class as written, so that instantiations in all units
  // have the same hash.
  if (FD->isDefined() && isa<CXXMethodDecl>(FD))
    Out->odr_hash = const_cast<FunctionDecl *>(FD)->getODRHash();

  std::vector<scythe_attribute> Attributes;
  for (const FunctionDecl *Redecl : FD->redecls())
    for (const auto *A : Redecl->specific_attrs<AnnotateAttr>())
      if (!A->isInherited())
        Attributes.push_back(describeAttribute(*Unit, A));
  // Instantiations have the attributes of their pattern, but may lack the attributes of a
  // redeclaration.
  if (Attributes.empty())
    for (const auto *A : FD->specific_attrs<AnnotateAttr>())
      Attributes.push_back(describeAttribute(*Unit, A));
  Out->attributes = Unit->keep(llvm::ArrayRef<scythe_attribute>(Attributes));
  Out->attribute_count = Attributes.size();
}

extern "C" void scythe_function_symbols(scythe_unit *Unit, scythe_decl Function,
                                        const scythe_str **Out, size_t *Count) {
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

extern "C" void scythe_describe_variable(scythe_unit *Unit, scythe_decl Variable,
                                         scythe_variable *Out) {
  const auto *VD = static_cast<const VarDecl *>(Variable);
  *Out = {};
  if (!Unit->Names)
    Unit->Names = std::make_unique<ASTNameGenerator>(Unit->Ctx);
  Out->symbol = Unit->keep(Unit->Names->getName(VD));
  const CXXRecordDecl *RD = Unit->Ctx.getBaseElementType(VD->getType())->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return;
  std::vector<scythe_attribute> Attributes;
  for (const auto *A : RD->getDefinition()->specific_attrs<AnnotateAttr>())
    Attributes.push_back(describeAttribute(*Unit, A));
  Out->attributes = Unit->keep(llvm::ArrayRef<scythe_attribute>(Attributes));
  Out->attribute_count = Attributes.size();
}

// Returns the name of a file in outputs. `-ffile-prefix-map=` applies to it.
static scythe_str fileName(scythe_unit &Unit, llvm::SmallString<256> Name) {
  Unit.CI.getLangOpts().remapPathPrefix(Name);
  return Unit.keep(Name);
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
  Out.file = fileName(Unit, File);
  Out.line = P.getLine();
  Out.column = P.getColumn();
  return Out;
}

extern "C" uint32_t scythe_is_before(scythe_unit *Unit, scythe_loc First, scythe_loc Second) {
  return Unit->CI.getSourceManager().isBeforeInTranslationUnit(
      SourceLocation::getFromRawEncoding(First), SourceLocation::getFromRawEncoding(Second));
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
  // The result of `__builtin_FILE()`.
  Out->file = fileName(*Unit, llvm::SmallString<256>(P.getFilename()));
  Out->line = P.getLine();
  Out->column = P.getColumn();
}

extern "C" void scythe_report(scythe_unit *Unit, uint32_t Severity, scythe_loc Loc,
                              scythe_str Message) {
  DiagnosticsEngine &Diags = Unit->CI.getDiagnostics();
  SourceLocation Where = SourceLocation::getFromRawEncoding(Loc);
  llvm::StringRef Text(Message.data, Message.size);
  DiagnosticsEngine::Level Level = Severity == SCYTHE_SEVERITY_NOTE     ? DiagnosticsEngine::Note
                                   : Severity == SCYTHE_SEVERITY_REMARK ? DiagnosticsEngine::Remark
                                   : Severity == SCYTHE_SEVERITY_WARNING
                                       ? DiagnosticsEngine::Warning
                                       : DiagnosticsEngine::Error;
  Diags.Report(Where, Diags.getCustomDiagID(Level, "%0")) << Text;
}

extern "C" void scythe_warn(scythe_unit *Unit, uint32_t Fate, scythe_str Flag, scythe_loc Loc,
                            const scythe_position *Place, scythe_str Message, scythe_str Details) {
  DiagnosticsEngine &Diags = Unit->CI.getDiagnostics();
  SourceManager &SM = Unit->CI.getSourceManager();
  if (Diags.getIgnoreAllWarnings())
    return;
  SourceLocation Where = SourceLocation::getFromRawEncoding(Loc);
  if (Where.isInvalid() && Place->line)
    if (OptionalFileEntryRef File = SM.getFileManager().getOptionalFileRef(
            llvm::StringRef(Place->file.data, Place->file.size)))
      Where = SM.translateFileLineCol(*File, Place->line, std::max(Place->column, 1u));
  // Clang does not turn custom warnings into errors.
  bool AsErrors = Diags.getWarningsAsErrors();
  bool Error = Fate == SCYTHE_FATE_ERROR || (Fate == SCYTHE_FATE_WARNING && AsErrors);
  Diags.setWarningsAsErrors(false);
  unsigned ID = Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::CustomDiagDesc(
      Error ? diag::Severity::Error : diag::Severity::Warning, "%0", DiagnosticIDs::CLASS_WARNING,
      /*ShowInSystemHeader=*/true, /*ShowInSystemMacro=*/true));
  std::string Text(Message.data, Message.size);
  if (Unit->CI.getDiagnosticOpts().ShowOptionNames) {
    Text +=
        Diags.getDiagnosticLevel(ID, Where) >= DiagnosticsEngine::Error ? " [-Werror,-W" : " [-W";
    Text += llvm::StringRef(Flag.data, Flag.size);
    Text += "]";
  }
  if (Details.size)
    Text += "\n" + std::string(Details.data, Details.size);
  Diags.Report(Where, ID) << Text;
  Diags.setWarningsAsErrors(AsErrors);
}

// Whether a parameter has the type `sycl::ext::oneapi::experimental::properties_tag`.
static bool takesPropertiesTag(const FunctionDecl *FD) {
  if (FD->getNumParams() != 1)
    return false;
  const CXXRecordDecl *Tag =
      FD->getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return Tag &&
         Tag->getQualifiedNameAsString() == "sycl::ext::oneapi::experimental::properties_tag";
}

// Checks the functions `get(properties_tag)` of a functor. One usable function is enough.
static void describeGet(ASTContext &Ctx, const CXXRecordDecl *Functor, scythe_kernel &Out) {
  DeclarationName Name = &Ctx.Idents.get("get");
  auto Look = [&](const CXXRecordDecl *Record) {
    bool Found = false;
    for (const NamedDecl *Member : Record->lookup(Name)) {
      const auto *Method = dyn_cast<CXXMethodDecl>(Member->getUnderlyingDecl());
      if (!Method || !takesPropertiesTag(Method))
        continue;
      scythe_get_fault Fault = Method->isDeleted()                      ? SCYTHE_GET_DELETED
                               : Member->getAccess() != AS_public       ? SCYTHE_GET_HIDDEN
                               : Method->getRefQualifier() == RQ_RValue ? SCYTHE_GET_OF_TEMPORARIES
                                                                        : SCYTHE_GET_USABLE;
      if (!Found || Fault == SCYTHE_GET_USABLE) {
        Out.get_fault = Fault;
        Out.get_loc = rawLoc(Method->getLocation());
      }
      Found = true;
      if (Fault == SCYTHE_GET_USABLE)
        break;
    }
    return Found || !Record->lookup(Name).empty();
  };
  // A member hides the members of the same name in base classes. Members of base classes that are
  // not public are hidden, too.
  auto Walk = [&](auto &Self, const CXXRecordDecl *Record, bool Visible) -> void {
    if (Look(Record)) {
      if (!Visible && Out.get_loc && Out.get_fault == SCYTHE_GET_USABLE)
        Out.get_fault = SCYTHE_GET_HIDDEN;
      return;
    }
    for (const CXXBaseSpecifier &Base : Record->bases())
      if (const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl();
          Class && Class->hasDefinition())
        Self(Self, Class->getDefinition(), Visible && Base.getAccessSpecifier() == AS_public);
  };
  Walk(Walk, Functor, true);
}

// Returns the program's functor if the headers wrap it in a functor of the headers.
static const CXXRecordDecl *wrappedFunctor(ASTContext &Ctx, const CXXRecordDecl *Functor) {
  for (const NamedDecl *Member : Functor->lookup(&Ctx.Idents.get("scythe_wrapped")))
    if (const auto *Alias = dyn_cast<TypedefNameDecl>(Member))
      if (const CXXRecordDecl *Record = Alias->getUnderlyingType()->getAsCXXRecordDecl())
        if (Record->hasDefinition())
          return Record->getDefinition();
  return Functor;
}

// Adds a class and all its base classes, without duplicates.
static void collectClasses(const CXXRecordDecl *Class, llvm::SmallSetVector<scythe_decl, 4> &Out) {
  if (!Out.insert(Class->getCanonicalDecl()))
    return;
  for (const CXXBaseSpecifier &Base : Class->bases())
    if (const CXXRecordDecl *Record = Base.getType()->getAsCXXRecordDecl();
        Record && Record->hasDefinition())
      collectClasses(Record->getDefinition(), Out);
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
  Out->function = freeFunctionOf(Name);

  if (FD->getNumParams() == 0)
    return;
  QualType T = FD->getParamDecl(0)->getType();
  Out->functor = Unit->keep(T.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy()));
  const CXXRecordDecl *Functor = T->getAsCXXRecordDecl();
  if (!Functor || !Functor->hasDefinition())
    return;
  Functor = Functor->getDefinition();
  Out->by_value = FD->getNumParams() == 1;
  llvm::SmallSetVector<scythe_decl, 4> Classes;
  collectClasses(Functor, Classes);
  Out->functor_classes = Unit->keep(Classes.getArrayRef());
  Out->functor_class_count = Classes.size();
  Out->functor_loc = rawLoc(Functor->getLocation());
  Out->functor_size = Ctx.getTypeSizeInChars(T).getQuantity();
  describeGet(Ctx, wrappedFunctor(Ctx, Functor), *Out);
  std::vector<scythe_field> Fields;
  describeLayout(*Unit, Functor, Fields);
  Out->fields = Unit->keep(llvm::ArrayRef<scythe_field>(Fields));
  Out->field_count = Fields.size();
}

// The hooks that clang and LLVM call: the front-end action, the hook before the parser and the
// pass. Each calls Rust.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm-c/Types.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace clang;

namespace {

// Passes pragmas to Rust, and suppresses clang's warning about unknown groups for Scythe's groups.
class Pragmas : public PPCallbacks {
public:
  explicit Pragmas(Preprocessor &PP) : PP(PP), Diags(PP.getDiagnostics()) {}

  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind) override {
    Loc = PP.getSourceManager().getExpansionLoc(Loc);
    if (Silenced) {
      Diags.setSeverity(Unknown, *Silenced, Loc);
      Silenced.reset();
    }
    // The text after the word `pragma` of a directive or of `_Pragma`. The buffer ends with a null
    // character.
    auto *Current = static_cast<Lexer *>(PP.getCurrentLexer());
    if (!Current)
      return;
    const char *Start = Current->getBufferLocation();
    llvm::StringRef Text(Start, std::strcspn(Start, "\n"));
    if (!Text.contains("diagnostic") ||
        !scythe_frontend_pragma(rawLoc(Loc), {Text.data(), Text.size()}))
      return;
    DiagnosticsEngine::Level Level = Diags.getDiagnosticLevel(Unknown, Loc);
    // -Werror does not change a severity that a pragma sets, so an error must be restored as an
    // error.
    Silenced = Level == DiagnosticsEngine::Ignored ? diag::Severity::Ignored
               : Level >= DiagnosticsEngine::Error ? diag::Severity::Error
                                                   : diag::Severity::Warning;
    Diags.setSeverity(Unknown, diag::Severity::Ignored, Loc);
  }

private:
  static constexpr unsigned Unknown = diag::warn_pragma_diagnostic_unknown_warning;
  Preprocessor &PP;
  DiagnosticsEngine &Diags;
  std::optional<diag::Severity> Silenced; // the severity of the warning about unknown groups before
};

// Filters the diagnostics before clang's own consumer. It drops one error with its notes: two
// kernels with one name. Clang reports it inside the SYCL headers, and Rust reports it where the
// program submits the kernels. It rewords errors about SYCL attributes, which clang knows as
// `annotate`.
class OurErrors : public DiagnosticConsumer {
public:
  // The data that this object shares with its creator. Either may live longer.
  struct Shared {
    uint32_t Kept = 0; // number of dropped errors
    WrittenAttributes Written;
  };

  OurErrors(DiagnosticsEngine &Diags, std::shared_ptr<Shared> Known)
      : Known(std::move(Known)), Inner(Diags.getClient()), Owned(Diags.takeClient()) {}

  void BeginSourceFile(const LangOptions &Options, const Preprocessor *PP) override {
    Inner->BeginSourceFile(Options, PP);
  }
  void EndSourceFile() override { Inner->EndSourceFile(); }
  void finish() override { Inner->finish(); }
  bool IncludeInDiagnosticCounts() const override { return Inner->IncludeInDiagnosticCounts(); }
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Level != DiagnosticsEngine::Note) {
      Dropping = Info.getID() == diag::err_sycl_kernel_name_conflict;
      Known->Kept += Dropping;
      // Clang reports the same error for the annotation beside the companion.
      Dropping |= Info.getID() == diag::err_attribute_not_type_attr && isCompanion(Info);
    }
    if (Dropping)
      return;
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (std::string Text = ourWords(Info); !Text.empty()) {
      DiagnosticStorage Plain;
      Plain.DiagRanges.append(Info.getRanges().begin(), Info.getRanges().end());
      Inner->HandleDiagnostic(
          Level, Diagnostic(Info.getDiags(), Info.getLocation(), Info.getID(), Plain, Text));
      return;
    }
    Inner->HandleDiagnostic(Level, Info);
  }

private:
  // Returns the new text of an error about a SYCL attribute. Empty for other diagnostics.
  std::string ourWords(const Diagnostic &Info) const {
    if (!Info.hasSourceManager())
      return {};
    const WrittenAttribute *Attribute = Known->Written.at(Info.getLocation(), /*Argument=*/false);
    const WrittenAttribute *Argument = Known->Written.at(Info.getLocation(), /*Argument=*/true);
    switch (Info.getID()) {
    case diag::err_attribute_argument_n_type:
      if ((Attribute || Argument) && Info.getNumArgs() >= 2)
        return words(SCYTHE_WORDS_CONSTANT_ARGUMENT, (Attribute ? Attribute : Argument)->Name,
                     Info.getArgUInt(1));
      return Info.getLocation().isMacroID() && isProperty(Info)
                 ? words(SCYTHE_WORDS_CONSTANT_PROPERTY)
                 : std::string();
    case diag::err_typecheck_unary_expr:
      return Argument ? words(SCYTHE_WORDS_INTEGER_ARGUMENT, Argument->Name, Argument->Argument)
                      : std::string();
    case diag::err_typecheck_cond_incompatible_operands:
    case diag::err_typecheck_cond_expect_scalar:
      return Argument ? words(SCYTHE_WORDS_ASPECT_ARGUMENT, Argument->Name, Argument->Argument)
                      : std::string();
    default:
      if (!Attribute)
        return {};
    }
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    for (llvm::StringRef Ours : {"'clang::annotate'", "'annotate'"})
      if (size_t At = Text.str().find(Ours); At != llvm::StringRef::npos)
        return (Text.str().take_front(At) + "'" + Attribute->Name + "'" +
                Text.str().drop_front(At + Ours.size()))
            .str();
    return {};
  }

  static std::string words(scythe_words_kind Kind, llvm::StringRef Attribute = {},
                           uint32_t Argument = 0) {
    scythe_str Text = scythe_frontend_words(Kind, {Attribute.data(), Attribute.size()}, Argument);
    return std::string(Text.data, Text.size);
  }

  bool isCompanion(const Diagnostic &Info) const {
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    return Known->Written.at(Info.getLocation(), /*Argument=*/false) &&
           Text.str().contains("'scythe");
  }

  static bool isProperty(const Diagnostic &Info) {
    const SourceManager &SM = Info.getSourceManager();
    LangOptions Options;
    SourceLocation Written = SM.getExpansionLoc(Info.getLocation());
    return Lexer::getSourceText(CharSourceRange::getTokenRange(Written), SM, Options) ==
           "SCYTHE_PROPERTIES";
  }

  std::shared_ptr<Shared> Known;
  DiagnosticConsumer *Inner;
  std::unique_ptr<DiagnosticConsumer> Owned;
  bool Dropping = false;
};

// Visits each declaration of a precompiled header outside functions. Clang passes only few of them
// to consumers.
class PrecompiledDecls : public RecursiveASTVisitor<PrecompiledDecls> {
public:
  explicit PrecompiledDecls(llvm::function_ref<void(Decl *)> Take) : Take(Take) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseStmt(Stmt *, DataRecursionQueue * = nullptr) { return true; }
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }
  bool VisitDecl(Decl *D) {
    if (D->isFromASTFile() && !isa<ParmVarDecl>(D) && isa<FunctionDecl, VarDecl, TagDecl>(D))
      Take(D);
    return true;
  }

private:
  llvm::function_ref<void(Decl *)> Take;
};

// The unit of the module that the pass gets. Clang compiles one unit at a time.
scythe_unit *CurrentUnit = nullptr;

class Consumer : public SemaConsumer {
public:
  // `File` is the source that the command line names. For preprocessed text, it is the original
  // source.
  Consumer(CompilerInstance &CI, StringRef File, bool Device) : CI(CI), File(File), Device(Device) {
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    if (Device)
      Diags.setClient(new OurErrors(Diags, Known), /*ShouldOwnClient=*/true);
    // Another unit completed the classes of a precompiled header.
    Precompiled = SawDeviceGlobal = !CI.getPreprocessorOpts().ImplicitPCHInclude.empty() &&
                                    !scythe_frontend_uses_header_cache();
  }

  ~Consumer() override {
    checkAttributes(nullptr, nullptr);
    if (Unit && CurrentUnit == Unit.get())
      CurrentUnit = nullptr;
  }

  // Called after the parser entered the main file and before it requests a token.
  void InitializeSema(Sema &S) override {
    if (!Device)
      return;
    Preprocessor &PP = S.getPreprocessor();
    Tokens = editTokens(unit(), PP, Known->Written);
    // `#pragma clang optimize` acts when the preprocessor reads it, and all tokens are already
    // read. A pragma at the end must not apply to the whole unit.
    S.ActOnPragmaOptimize(/*On=*/true, SourceLocation());
    checkAttributes(Unit.get(), &Known->Written);
    PP.EnterTokenStream(Tokens, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
  }
  void ForgetSema() override { checkAttributes(nullptr, nullptr); }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      declaration(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *FD) override {
    if (Device)
      declaration(FD);
  }
  // Clang calls this function for instantiations of variable templates, too.
  void HandleCXXStaticMemberVarInstantiation(VarDecl *VD) override { declaration(VD); }
  void HandleTagDeclDefinition(TagDecl *D) override {
    if (auto *RD = dyn_cast<CXXRecordDecl>(D);
        RD && !RD->isDependentContext() && isDeviceGlobalClass(RD))
      SawDeviceGlobal = DeviceGlobals = true;
    if (auto *RD = dyn_cast<CXXRecordDecl>(D))
      setFunctionFacts(unit(), RD);
    if (!Device)
      return;
    if (auto *RD = dyn_cast<CXXRecordDecl>(D); RD && !RD->isDependentContext())
      for (FieldDecl *F : RD->fields())
        if (const AnnotateAttr *A = annotation(F, "__sycl_detail__::add_ir_member_annotation"))
          member(F, A);
    if (D->hasAttrs() && !D->isDependentContext() && usesAspects(D))
      if (auto *RD = dyn_cast<CXXRecordDecl>(D))
        Decorated.push_back(RD);
  }

  void HandleTranslationUnit(ASTContext &Ctx) override {
    if (!Device) {
      setUnitId(unit());
      describeLaunches(unit());
      return;
    }
    unit();
    // The header contains no code for kernels of its own, so clang has no deferred diagnostics to
    // report in it. Every pass that uses the header would read all functions in this list.
    if (scythe_frontend_makes_header_cache())
      CI.getSema().DeclsToCheckForDeferredDiags.clear();
    if (Precompiled)
      PrecompiledDecls([this](Decl *D) {
        precompiled(D);
      }).TraverseDecl(Ctx.getTranslationUnitDecl());
    std::vector<scythe_decl> KernelDecls, RejectedDecls, ExternalDecls, InstantiationDecls,
        CallerDecls;
    llvm::DenseSet<const FunctionDecl *> Seen;
    for (FunctionDecl *FD : Kernels) {
      if (!Seen.insert(canonicalFunction(FD)).second)
        continue;
      if (FD->getAttr<SYCLKernelEntryPointAttr>()->isInvalidAttr())
        RejectedDecls.push_back(canonicalFunction(FD));
      else if (FD->isDefined())
        KernelDecls.push_back(canonicalFunction(FD));
    }
    for (FunctionDecl *FD : Externals)
      if (FD->isDefined() && Seen.insert(canonicalFunction(FD)).second)
        ExternalDecls.push_back(canonicalFunction(FD));
    for (FunctionDecl *FD : Instantiations)
      if (FD->isDefined())
        InstantiationDecls.push_back(canonicalFunction(FD));
    for (FunctionDecl *FD : Callers)
      CallerDecls.push_back(canonicalFunction(FD));
    std::vector<scythe_decorated_type> Types;
    for (CXXRecordDecl *RD : Decorated) {
      std::string Name;
      llvm::raw_string_ostream OS(Name);
      OS << RD->getKindName() << '.';
      PrintingPolicy Policy(Ctx.getLangOpts());
      RD->printQualifiedName(OS, Policy);
      // IR uses one name for all specialisations. With its arguments, the name is unique.
      if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD))
        printTemplateArgumentList(OS, Spec->getTemplateArgs().asArray(), Policy);
      scythe_attribute A = describeAttribute(*Unit, usesAspects(RD));
      Types.push_back({Unit->keep(Name), A.values, A.value_count});
    }
    scythe_unit_facts Facts{};
    Facts.main_file = Unit->keep(File);
    Facts.kernels = KernelDecls.data();
    Facts.kernel_count = KernelDecls.size();
    Facts.rejected = RejectedDecls.data();
    Facts.rejected_count = RejectedDecls.size();
    Facts.externals = ExternalDecls.data();
    Facts.external_count = ExternalDecls.size();
    Facts.instantiations = InstantiationDecls.data();
    Facts.instantiation_count = InstantiationDecls.size();
    Facts.callers = CallerDecls.data();
    Facts.caller_count = CallerDecls.size();
    Facts.types = Types.data();
    Facts.type_count = Types.size();
    std::vector<scythe_device_global> Globals;
    llvm::DenseSet<const VarDecl *> SeenVariables;
    for (VarDecl *VD : Variables)
      if (isDeviceGlobal(Ctx, VD->getType()) && SeenVariables.insert(VD->getCanonicalDecl()).second)
        Globals.push_back(describeDeviceGlobal(*Unit, VD));
    std::vector<scythe_misuse> Misuses;
    if (DeviceGlobals)
      findMisuses(*Unit, Misuses);
    Facts.device_globals = Globals.data();
    Facts.device_global_count = Globals.size();
    Facts.misuses = Misuses.data();
    Facts.misuse_count = Misuses.size();
    Facts.faulty_functions = FaultyFunctions.data();
    Facts.faulty_function_count = FaultyFunctions.size();
    Facts.name_conflicts = Known->Kept;
    Facts.device_global_classes = DeviceGlobals;
    Facts.errors = CI.getDiagnosticClient().getNumErrors() != 0;
    scythe_frontend_unit(Unit.get(), &Facts);
  }

private:
  CompilerInstance &CI;
  std::string File;
  bool Device;
  std::unique_ptr<scythe_unit> Unit; // outlives code generation, which needs positions
  std::shared_ptr<OurErrors::Shared> Known = std::make_shared<OurErrors::Shared>();
  std::vector<Token> Tokens; // the tokens of the unit during parsing
  std::vector<FunctionDecl *> Kernels, Externals, Instantiations, Callers;
  std::vector<CXXRecordDecl *> Decorated;
  std::vector<VarDecl *> Variables;
  std::vector<scythe_faulty_function> FaultyFunctions;
  llvm::DenseSet<const FunctionDecl *> Emitted; // free function kernels with an entry point
  bool Precompiled = false;            // whether to visit the declarations of a precompiled header
  bool SawDeviceGlobal = false;        // whether variables may be device_globals
  bool DeviceGlobals = false;          // whether there are classes of device_globals
  llvm::DenseSet<const Decl *> Loaded; // visited declarations of the precompiled header

  scythe_unit &unit() {
    if (!Unit)
      Unit = std::make_unique<scythe_unit>(CI, CI.getASTContext());
    CurrentUnit = Unit.get();
    return *Unit;
  }

  // Code generation annotates accesses to a member with the text of its `annotate` attributes. This
  // function replaces the attribute that lists properties by an attribute with their text.
  void member(FieldDecl *F, const AnnotateAttr *A) {
    scythe_attribute Properties = describeAttribute(unit(), A);
    scythe_str Text{};
    if (!scythe_frontend_member(Unit.get(), &Properties, &Text))
      return;
    llvm::SmallVector<Attr *, 4> Kept;
    for (Attr *Other : F->attrs())
      if (Other != A)
        Kept.push_back(Other);
    SourceRange Range = A->getRange();
    F->setAttrs({});
    for (Attr *Other : Kept)
      F->addAttr(Other);
    if (Text.size)
      F->addAttr(AnnotateAttr::CreateImplicit(CI.getASTContext(), StringRef(Text.data, Text.size),
                                              nullptr, 0, Range));
  }

  void variable(VarDecl *VD) {
    if (VD->isTemplated() || VD->getType()->isReferenceType())
      return;
    if (const FunctionDecl *FD = Device ? registeredFunction(unit(), VD) : nullptr)
      for (const auto *A : VD->specific_attrs<AnnotateAttr>())
        if (scythe_attribute Name = describeAttribute(unit(), A); Name.text.data)
          Unit->KernelNames[FD->getCanonicalDecl()].push_back(
              std::string(Name.text.data, Name.text.size));
    // The class of an `extern` variable may be completed later.
    if (Device && mayBeDeviceGlobal(CI.getASTContext(), VD->getType()))
      Variables.push_back(VD);
    if (Device || !SawDeviceGlobal || !isDeviceGlobal(CI.getASTContext(), VD->getType()))
      return;
    if (VD->isThisDeclarationADefinition() == VarDecl::Definition)
      registerOnHost(unit(), VD);
  }

  void precompiled(Decl *D) {
    if (auto *RD = dyn_cast<CXXRecordDecl>(D)) {
      if (!RD->isThisDeclarationADefinition() || RD->isDependentContext())
        return;
      DeviceGlobals |= isDeviceGlobalClass(RD);
      if (RD->hasAttrs() && usesAspects(RD))
        Decorated.push_back(RD);
    } else if (!isa<TagDecl>(D)) {
      declaration(D);
    }
  }

  void declaration(Decl *D) {
    if (D->isFromASTFile() && !Loaded.insert(D).second)
      return;
    if (auto *NS = dyn_cast<NamespaceDecl>(D)) {
      for (Decl *Inner : NS->decls())
        declaration(Inner);
      return;
    }
    if (auto *Linkage = dyn_cast<LinkageSpecDecl>(D)) {
      for (Decl *Inner : Linkage->decls())
        declaration(Inner);
      return;
    }
    if (auto *VD = dyn_cast<VarDecl>(D)) {
      variable(VD);
      return;
    }
    if (auto *RD = dyn_cast<CXXRecordDecl>(D); RD && SawDeviceGlobal && !RD->isDependentContext()) {
      for (Decl *Inner : RD->decls())
        if (isa<VarDecl>(Inner) || isa<CXXRecordDecl>(Inner))
          declaration(Inner);
      return;
    }
    auto *FD = Device ? dyn_cast<FunctionDecl>(D) : nullptr;
    if (!FD || FD->isDependentContext())
      return;
    if (FD->hasAttr<SYCLKernelEntryPointAttr>())
      Kernels.push_back(FD);
    freeFunction(FD);
    if (FD->hasAttr<SYCLExternalAttr>())
      Externals.push_back(FD);
    if (insideNamespace(FD, "sycl")) {
      if (FD->isTemplateInstantiation())
        Instantiations.push_back(FD);
    } else if (FD->doesThisDeclarationHaveABody() && !insideNamespace(FD, "std")) {
      Callers.push_back(FD);
    }
  }

  // Requests the entry point of a free function kernel that this unit defines, unless its
  // declaration breaks a rule.
  void freeFunction(FunctionDecl *FD) {
    if (freeFunctionShape(unit(), FD) < 0 || FD->isInvalidDecl())
      return;
    std::vector<scythe_faulty_function> Faults;
    findFaults(*Unit, FD, Faults);
    FaultyFunctions.insert(FaultyFunctions.end(), Faults.begin(), Faults.end());
    if (Faults.empty() && FD->isDefined() && Emitted.insert(FD->getCanonicalDecl()).second)
      emitFreeFunction(*Unit, FD);
  }
};

class Action : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef File) override {
    // Rust reports a throw in device code as an error. Unwinding must not leave landing pads in
    // code that cannot throw.
    if (CI.getLangOpts().SYCLIsDevice)
      CI.getLangOpts().IgnoreExceptions = true;
    CI.getPreprocessor().addPPCallbacks(std::make_unique<Pragmas>(CI.getPreprocessor()));
    return std::make_unique<Consumer>(CI, File, CI.getLangOpts().SYCLIsDevice != 0);
  }

  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Args) override {
    std::vector<scythe_str> Passed;
    for (const std::string &Arg : Args)
      Passed.push_back({Arg.data(), Arg.size()});
    const char *Error =
        scythe_frontend_begin(Passed.data(), Passed.size(), CI.getLangOpts().SYCLIsDevice);
    if (!Error)
      return true;
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    Diags.Report(Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << Error;
    return false;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<Action> Registered("scythe",
                                               "SYCL device code: facts, diagnostics, annotation");

// Writes the preprocessed source, like `-E`.
class PreprocessAction : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<ASTConsumer>();
  }
  void ExecuteAction() override {
    CompilerInstance &CI = getCompilerInstance();
    std::unique_ptr<raw_ostream> Out =
        CI.createDefaultOutputFile(/*Binary=*/true, getCurrentFileOrBufferName(), "ii");
    if (!Out)
      return;
    CI.getPreprocessorOutputOpts().ShowCPP = true;
    DoPrintPreprocessedInput(CI.getPreprocessor(), Out.get(), CI.getPreprocessorOutputOpts());
  }
  // As with clang's own `-E`, the preprocessor reads the text of a precompiled header.
  bool usesPreprocessorOnly() const override { return true; }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return CmdlineAfterMainAction; }
};

FrontendPluginRegistry::Add<PreprocessAction>
    Preprocess("scythe-preprocess", "the preprocessed source of a device pass");

struct ModulePass : llvm::PassInfoMixin<ModulePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    if (const char *Error = scythe_frontend_module(&M, CurrentUnit))
      M.getContext().emitError(Error);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void registerPasses(llvm::PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager &Manager, llvm::OptimizationLevel) {
        Manager.addPass(ModulePass());
      });
}

} // namespace

extern "C" void scythe_pass_plugin_info(scythe_pass_plugin *Out) {
  static_assert(sizeof(scythe_pass_plugin) == sizeof(llvm::PassPluginLibraryInfo));
  Out->api_version = LLVM_PLUGIN_API_VERSION;
  Out->name = "scythe";
  Out->version = "1";
  Out->register_callbacks = reinterpret_cast<void *>(registerPasses);
  Out->pre_codegen = nullptr;
}

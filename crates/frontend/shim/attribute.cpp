// Attributes that the plug-in adds to clang's: a companion of each annotation that one of ours
// became, by which clang tells on what it stands, and SYCL_EXTERNAL in the places where clang's own
// attribute cannot stand.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

// The unit that is being parsed, and where the program wrote our attributes in it.
struct {
  scythe_unit *Unit = nullptr;
  const WrittenAttributes *Written = nullptr;
} Parsing;

bool isDependent(const AnnotateAttr *A) {
  return llvm::any_of(A->args(), [](const Expr *E) {
    return E->isInstantiationDependent() || E->isValueDependent();
  });
}

class Companion : public ParsedAttrInfo {
public:
  Companion() {
    static constexpr Spelling Names[] = {{ParsedAttr::AS_GNU, "scythe_attribute"},
                                         {ParsedAttr::AS_CXX11, "scythe::attribute"}};
    Spellings = Names;
  }

  bool diagAppertainsToDecl(Sema &, const ParsedAttr &Attr, const Decl *D) const override {
    scythe_placed Placed = describe(Attr);
    if (!Placed.loc)
      return true;
    scythe_unit &Unit = *Parsing.Unit;
    Placed.on_function = D->getAsFunction() != nullptr;
    Placed.on_class = isa<CXXRecordDecl>(D);
    std::vector<scythe_attribute> Attributes;
    bool Dependent = false;
    for (const auto *A : D->specific_attrs<AnnotateAttr>()) {
      Dependent |= isDependent(A);
      if (Dependent)
        break;
      bool This = A->getLocation() == Attr.getLoc();
      Attributes.insert(This ? Attributes.begin() : Attributes.end(), describeAttribute(Unit, A));
    }
    if (!Dependent) {
      Placed.attributes = Attributes.data();
      Placed.attribute_count = Attributes.size();
    }
    return scythe_frontend_attribute(&Unit, &Placed) != 0;
  }

  bool diagAppertainsToStmt(Sema &, const ParsedAttr &Attr, const Stmt *) const override {
    scythe_placed Placed = describe(Attr);
    return !Placed.loc || scythe_frontend_attribute(Parsing.Unit, &Placed) != 0;
  }

  AttrHandling handleDeclAttribute(Sema &, Decl *, const ParsedAttr &) const override {
    return AttributeApplied;
  }

private:
  // The attribute as the program wrote it, on nothing yet; without position where it is not the
  // program's.
  static scythe_placed describe(const ParsedAttr &Attr) {
    scythe_placed Placed{};
    if (const WrittenAttribute *Written =
            Parsing.Written ? Parsing.Written->at(Attr.getLoc(), false) : nullptr) {
      Placed.written = {Written->Name.data(), Written->Name.size()};
      Placed.loc = rawLoc(Attr.getLoc());
    }
    return Placed;
  }
};

class External : public ParsedAttrInfo {
public:
  External() {
    static constexpr Spelling Names[] = {{ParsedAttr::AS_GNU, "scythe_external"}};
    Spellings = Names;
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (D->getAsFunction())
      return true;
    // Such variables are the same in all translation units without it.
    if (const auto *VD = dyn_cast<VarDecl>(D); VD && mayBeDeviceGlobal(S.Context, VD->getType()))
      return true;
    S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(
                              DiagnosticsEngine::Error,
                              "'SYCL_EXTERNAL' only applies to functions and to variables of class "
                              "'device_global'"));
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    if (FunctionDecl *FD = D->getAsFunction())
      FD->addAttr(SYCLExternalAttr::Create(S.Context, Attr.getRange()));
    return AttributeApplied;
  }
};

ParsedAttrInfoRegistry::Add<Companion>
    RegisteredCompanion("scythe_attribute", "on what one of SYCL's attributes stands");
ParsedAttrInfoRegistry::Add<External> RegisteredExternal("scythe_external", "SYCL_EXTERNAL");

} // namespace

void checkAttributes(scythe_unit *Unit, const WrittenAttributes *Written) {
  Parsing = {Unit, Written};
}

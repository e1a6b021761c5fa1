// Attributes that the plug-in adds to clang. Each annotation that replaces a SYCL attribute has a
// companion attribute, through which clang reports the declaration that has it. SYCL_EXTERNAL works
// in the places where clang's own attribute is not allowed.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

// The unit that clang parses, and the positions of its SYCL attributes.
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
  // Describes the attribute as the program wrote it, without a declaration. The location is 0 if
  // the program did not write it.
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
    // Variables of class device_global are the same in all translation units without the attribute.
    if (const auto *VD = dyn_cast<VarDecl>(D); VD && mayBeDeviceGlobal(S.Context, VD->getType()))
      return true;
    scythe_str Text = scythe_frontend_words(SCYTHE_WORDS_EXTERNAL_PLACE, {}, 0);
    S.Diag(Attr.getLoc(), S.Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
        << llvm::StringRef(Text.data, Text.size);
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    if (FunctionDecl *FD = D->getAsFunction())
      FD->addAttr(SYCLExternalAttr::Create(S.Context, Attr.getRange()));
    return AttributeApplied;
  }
};

ParsedAttrInfoRegistry::Add<Companion>
    RegisteredCompanion("scythe_attribute", "the declaration that has a SYCL attribute");
ParsedAttrInfoRegistry::Add<External> RegisteredExternal("scythe_external", "SYCL_EXTERNAL");

} // namespace

void checkAttributes(scythe_unit *Unit, const WrittenAttributes *Written) {
  Parsing = {Unit, Written};
}

// Spells the name of a kernel for the integration header, and finds the declarations that it needs.
#include "unit.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace {

class NameWalk {
public:
  explicit NameWalk(scythe_unit &Unit)
      : Unit(Unit), Ctx(Unit.Ctx), Policy(spellingPolicy(Unit.Ctx)) {}

  std::vector<scythe_name_part> Parts;

  static PrintingPolicy spellingPolicy(ASTContext &Ctx) {
    PrintingPolicy Policy(Ctx.getLangOpts());
    Policy.FullyQualifiedName = true;
    Policy.SuppressScope = false;
    Policy.SuppressUnwrittenScope = true;
    Policy.SuppressTagKeyword = true;
    Policy.PrintAsCanonical = true;
    Policy.SplitTemplateClosers = true;
    return Policy;
  }

  void type(QualType T) {
    T = T.getCanonicalType().getUnqualifiedType();
    if (const auto *P = T->getAs<PointerType>())
      return type(P->getPointeeType());
    if (const auto *R = T->getAs<ReferenceType>())
      return type(R->getPointeeType());
    if (const auto *A = Ctx.getAsArrayType(T))
      return type(A->getElementType());
    if (const auto *F = T->getAs<FunctionProtoType>()) {
      type(F->getReturnType());
      for (QualType P : F->getParamTypes())
        type(P);
      return;
    }
    if (const TagDecl *Tag = T->getAsTagDecl())
      return tag(Tag);
    if (!T->isBuiltinType())
      add(nullptr, "", false);
  }

  // Spells a type for the integration header. Enumerators are values, because the header does not
  // declare them.
  std::string spell(QualType T) {
    T = T.getCanonicalType();
    std::string Qualifiers = T.getLocalQualifiers().getAsString();
    if (!Qualifiers.empty())
      Qualifiers = " " + Qualifiers;
    QualType Plain = T.getLocalUnqualifiedType();
    if (const auto *P = dyn_cast<PointerType>(Plain.getTypePtr());
        P && !P->getPointeeType()->isFunctionType())
      return spell(P->getPointeeType()) + " *" + Qualifiers;
    if (const auto *R = dyn_cast<ReferenceType>(Plain.getTypePtr());
        R && !R->getPointeeType()->isFunctionType())
      return spell(R->getPointeeType()) + (R->isLValueReferenceType() ? " &" : " &&");
    if (const auto *Spec =
            dyn_cast_or_null<ClassTemplateSpecializationDecl>(Plain->getAsCXXRecordDecl())) {
      std::string Arguments;
      spell(Spec->getTemplateArgs().asArray(), Arguments);
      std::string Name;
      llvm::raw_string_ostream OS(Name);
      Spec->printQualifiedName(OS, Policy);
      return Name + "<" + Arguments + ">" + Qualifiers;
    }
    return T.getAsString(Policy);
  }

private:
  // Returns a literal that all compilers read as this number. The smallest number has no literal.
  static std::string number(const llvm::APSInt &Value) {
    if (Value.isUnsigned())
      return llvm::toString(Value, 10) + "ULL";
    if (Value.getSignificantBits() >= 64 && Value.isMinSignedValue())
      return "-" + llvm::toString(llvm::APInt::getSignedMaxValue(Value.getBitWidth()), 10, true) +
             "LL - 1";
    return llvm::toString(Value, 10) + "LL";
  }

  void spell(llvm::ArrayRef<TemplateArgument> Args, std::string &Out) {
    for (const TemplateArgument &A : Args) {
      if (A.getKind() == TemplateArgument::Pack) {
        spell(A.pack_elements(), Out);
        continue;
      }
      if (!Out.empty())
        Out += ", ";
      if (A.getKind() == TemplateArgument::Type) {
        Out += spell(A.getAsType());
      } else if (A.getKind() == TemplateArgument::Integral) {
        Out += "static_cast<" + spell(A.getIntegralType()) + ">(" + number(A.getAsIntegral()) + ")";
      } else {
        llvm::raw_string_ostream OS(Out);
        A.print(Policy, OS, /*IncludeType=*/false);
      }
    }
  }

  scythe_unit &Unit;
  ASTContext &Ctx;
  PrintingPolicy Policy;
  llvm::SmallPtrSet<const Decl *, 8> Seen;

  void add(const Decl *D, llvm::StringRef Text, bool Declarable, bool Closure = false) {
    llvm::SmallVector<std::string, 4> Path;
    if (D) {
      for (const DeclContext *DC = D->getDeclContext(); !DC->isTranslationUnit();
           DC = DC->getParent()) {
        const auto *NS = dyn_cast<NamespaceDecl>(DC);
        if (!NS) {
          Declarable = Declarable && isa<LinkageSpecDecl>(DC);
          continue;
        }
        // Programs must not add declarations to namespace std.
        Declarable = Declarable && !(NS->isStdNamespace());
        Path.push_back((NS->isInline() ? "inline " : "") + NS->getNameAsString());
      }
    }
    std::string Joined;
    for (auto It = Path.rbegin(); It != Path.rend(); ++It)
      Joined += (It == Path.rbegin() ? "" : "::") + *It;
    // A single unnamed namespace would look like no namespace.
    if (!Path.empty() && Joined.empty())
      Joined = " ";
    Parts.push_back({Unit.keep(Joined), Unit.keep(Text), Declarable ? 1u : 0u, Closure ? 1u : 0u});
  }

  void tag(const TagDecl *Tag) {
    Tag = Tag->getCanonicalDecl();
    if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(Tag)) {
      arguments(Spec->getTemplateArgs().asArray());
      const ClassTemplateDecl *Template = Spec->getSpecializedTemplate()->getCanonicalDecl();
      if (!Seen.insert(Template).second)
        return;
      std::string Text;
      bool Declarable = parameters(Template->getTemplateParameters(), Text);
      Text += (Spec->getKindName() + " " + Template->getName()).str();
      add(Template, Text, Declarable);
      return;
    }
    if (!Seen.insert(Tag).second)
      return;
    if (const auto *Enum = dyn_cast<EnumDecl>(Tag)) {
      std::string Text = Enum->isScoped() ? "enum class " : "enum ";
      Text += Enum->getNameAsString();
      if (Enum->isFixed())
        Text += " : " + Enum->getIntegerType().getCanonicalType().getAsString(Policy);
      add(Enum, Text, Enum->isFixed() && Enum->getIdentifier());
      return;
    }
    const auto *Record = cast<CXXRecordDecl>(Tag);
    bool Named = Record->getIdentifier() && !Record->isLambda() && !Record->isDependentContext();
    add(Record, (Record->getKindName() + " " + Record->getName()).str(), Named, Record->isLambda());
    // The name of a class inside a closure's function contains the closure.
    for (const DeclContext *DC = Record->getDeclContext(); DC; DC = DC->getParent())
      if (const auto *Outer = dyn_cast<CXXRecordDecl>(DC);
          Outer && Outer->isLambda() && Outer != Record)
        add(Outer, "", false, true);
  }

  void arguments(llvm::ArrayRef<TemplateArgument> Args) {
    for (const TemplateArgument &A : Args) {
      switch (A.getKind()) {
      case TemplateArgument::Type:
        type(A.getAsType());
        break;
      case TemplateArgument::Integral:
        type(A.getIntegralType());
        if (A.getAsIntegral().getBitWidth() > 64)
          add(nullptr, "", false);
        break;
      case TemplateArgument::Pack:
        arguments(A.pack_elements());
        break;
      case TemplateArgument::Template: {
        const auto *Template =
            dyn_cast_or_null<ClassTemplateDecl>(A.getAsTemplate().getAsTemplateDecl());
        if (!Template) {
          add(nullptr, "", false);
          break;
        }
        Template = Template->getCanonicalDecl();
        if (!Seen.insert(Template).second)
          break;
        std::string Text;
        bool Declarable = parameters(Template->getTemplateParameters(), Text);
        Text += (Template->getTemplatedDecl()->getKindName() + " " + Template->getName()).str();
        add(Template, Text, Declarable);
        break;
      }
      case TemplateArgument::NullPtr:
        break;
      default:
        add(nullptr, "", false);
      }
    }
  }

  // Appends "template <…> ". Returns false if the parameters cannot be spelled.
  bool parameters(const TemplateParameterList *List, std::string &Text) {
    bool Declarable = !List->hasAssociatedConstraints();
    Text += "template <";
    for (const NamedDecl *P : *List) {
      if (P != *List->begin())
        Text += ", ";
      if (const auto *Type = dyn_cast<TemplateTypeParmDecl>(P)) {
        Text += Type->isParameterPack() ? "typename..." : "typename";
      } else if (const auto *Value = dyn_cast<NonTypeTemplateParmDecl>(P)) {
        QualType T = Value->getType().getCanonicalType();
        Declarable = Declarable && !T->isDependentType() && !T->isUndeducedType();
        if (!T->isDependentType())
          type(T);
        Text += T.getAsString(Policy);
        if (Value->isParameterPack())
          Text += "...";
      } else if (const auto *Template = dyn_cast<TemplateTemplateParmDecl>(P)) {
        Declarable = parameters(Template->getTemplateParameters(), Text) && Declarable;
        Text += Template->isParameterPack() ? "class..." : "class";
      }
    }
    Text += "> ";
    return Declarable;
  }
};

} // namespace

void describeName(scythe_unit &Unit, QualType Name, scythe_kernel &Out) {
  QualType Canonical = Name.getCanonicalType();
  Out.name = Unit.keep(Name.getUnqualifiedType().getAsString(Unit.Ctx.getPrintingPolicy()));
  Out.external = isExternallyVisible(Canonical->getLinkage()) ? 1 : 0;
  NameWalk Walk(Unit);
  Walk.type(Canonical);
  Out.spelling = Unit.keep(Walk.spell(Canonical));
  Out.parts = Unit.keep(llvm::ArrayRef<scythe_name_part>(Walk.Parts));
  Out.part_count = Walk.Parts.size();
}

// What the shim's files share: the translation unit, its arena, and names of declarations.
#ifndef SCYTHE_FRONTEND_UNIT_H
#define SCYTHE_FRONTEND_UNIT_H

#include "facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <memory>
#include <string>
#include <vector>

// What one type brings into a function that uses it.
struct TypeUse {
  bool Double = false;
  bool Half = false;
  bool LongDouble = false;
  llvm::SmallVector<const clang::CXXRecordDecl *, 1> Decorated;
};

struct scythe_unit {
  clang::CompilerInstance &CI;
  clang::ASTContext &Ctx;
  llvm::BumpPtrAllocator Arena;
  std::unique_ptr<clang::ASTNameGenerator> Names;
  llvm::DenseMap<clang::QualType, TypeUse> TypeUses;

  scythe_unit(clang::CompilerInstance &CI, clang::ASTContext &Ctx) : CI(CI), Ctx(Ctx) {}

  scythe_str keep(llvm::StringRef Text) {
    char *Copy = Arena.Allocate<char>(Text.size() + 1);
    std::copy(Text.begin(), Text.end(), Copy);
    return {Copy, Text.size()};
  }
  template <typename T> const T *keep(llvm::ArrayRef<T> Items) {
    T *Copy = Arena.Allocate<T>(Items.size() + 1);
    std::uninitialized_copy(Items.begin(), Items.end(), Copy);
    return Copy;
  }
};

inline scythe_loc rawLoc(clang::SourceLocation Loc) { return Loc.getRawEncoding(); }

// One of our attributes as the program wrote it, or one of its arguments, counted from 1; 0 for the
// attribute itself.
struct WrittenAttribute {
  std::string Name;
  uint32_t Argument;
};

// Where the program wrote them: clang knows our attributes under names that the program does not.
struct WrittenAttributes {
  llvm::DenseMap<uint64_t, WrittenAttribute> Places;
  static uint64_t key(clang::SourceLocation Loc, bool Argument) {
    return uint64_t(Loc.getRawEncoding()) * 2 + Argument;
  }
  const WrittenAttribute *at(clang::SourceLocation Loc, bool Argument) const;
};

// All tokens of the unit that is about to be parsed, with our attributes in a form that clang
// understands.
std::vector<clang::Token> editTokens(scythe_unit &Unit, clang::Preprocessor &PP,
                                     WrittenAttributes &Written);

// The unit whose attributes are checked as clang parses it; null for none.
void checkAttributes(scythe_unit *Unit, const WrittenAttributes *Written);

// The address that stands for a function everywhere.
const clang::FunctionDecl *canonicalFunction(const clang::FunctionDecl *FD);

// Whether the declaration is inside the outermost namespace of that name.
bool insideNamespace(const clang::Decl *D, llvm::StringRef Name);

// The text of `annotate("scythe::special", text)` on a record, or an empty string.
llvm::StringRef specialKind(const clang::CXXRecordDecl *RD);

// The arguments of an annotation.
scythe_attribute describeAttribute(scythe_unit &Unit, const clang::AnnotateAttr *A);

// Whether an annotation lists properties: one of the add_ir attributes.
bool listsProperties(const clang::AnnotateAttr *A);

// The annotation with this text, or null.
const clang::AnnotateAttr *annotation(const clang::Decl *D, llvm::StringRef Text);

// The annotation that uses_aspects became, or null.
const clang::AnnotateAttr *usesAspects(const clang::Decl *D);

// Double, half and decorated types that an object of the type holds.
const TypeUse &typeUse(scythe_unit &Unit, clang::QualType T);

// Whether the class is a specialisation of device_global, and whether a type is one, an array of
// such, or a reference.
bool isDeviceGlobalClass(const clang::CXXRecordDecl *RD);
bool isDeviceGlobal(clang::ASTContext &Ctx, clang::QualType T);
// The same by its name alone, for types that are not complete yet.
bool mayBeDeviceGlobal(clang::ASTContext &Ctx, clang::QualType T);

// Facts of such a variable.
scythe_device_global describeDeviceGlobal(scythe_unit &Unit, const clang::VarDecl *VD);

// Objects of such classes that are no variables at namespace scope.
void findMisuses(scythe_unit &Unit, std::vector<scythe_misuse> &Out);

// Has the host pass emit such a variable, whether host code uses it or not, with an annotation that
// tells its name on devices. To be called before code generation sees the variable.
void registerOnHost(scythe_unit &Unit, clang::VarDecl *VD);

// What the fields of a class are called: those of a lambda after what they capture.
class CaptureNames {
public:
  explicit CaptureNames(const clang::CXXRecordDecl *RD);
  std::string name(const clang::FieldDecl *F) const;
  bool isCapture(const clang::FieldDecl *F) const { return Captured.count(F) != 0; }
  bool isThis(const clang::FieldDecl *F) const;

private:
  llvm::DenseMap<const clang::FieldDecl *, const clang::ValueDecl *>
      Captured; // null stands for `this`
};

// What g++ calls the fields of a lambda's class. Elements of packs, which have none, and names that
// are more than a name to g++ are not in the map.
llvm::DenseMap<const clang::FieldDecl *, std::string> gnuNames(scythe_unit &Unit,
                                                               const clang::CXXRecordDecl *Closure);

// What a pass says of the functor of the kernel with this name.
scythe_functor describeFunctor(scythe_unit &Unit, clang::QualType Name,
                               const clang::CXXRecordDecl *Functor);

// Gives the variable by which host code knows the unit's identifier its value. A precompiled header
// has another unit's.
void setUnitId(scythe_unit &Unit);

// Tells Rust of all functors that host code launches.
void describeLaunches(scythe_unit &Unit);

// Functor layout, for describe_kernel.
void describeLayout(scythe_unit &Unit, const clang::CXXRecordDecl *Functor,
                    std::vector<scythe_field> &Out);

// Spelling and declarations of a kernel name, for describe_kernel.
void describeName(scythe_unit &Unit, clang::QualType Name, scythe_kernel &Out);

#endif

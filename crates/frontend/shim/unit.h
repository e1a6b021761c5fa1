// Shared declarations of the shim: the translation unit, its arena, and names of declarations.
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

// The optional features that a type requires of a function that uses it.
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
  // The names that the unit registers for free function kernels.
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<std::string>> KernelNames;

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

// A SYCL attribute as the program wrote it (argument 0), or one of its arguments (from 1).
struct WrittenAttribute {
  std::string Name;
  uint32_t Argument;
};

// The positions of SYCL attributes in the program. Clang knows these attributes under other names.
struct WrittenAttributes {
  llvm::DenseMap<uint64_t, WrittenAttribute> Places;
  static uint64_t key(clang::SourceLocation Loc, bool Argument) {
    return uint64_t(Loc.getRawEncoding()) * 2 + Argument;
  }
  const WrittenAttribute *at(clang::SourceLocation Loc, bool Argument) const;
};

// Returns all tokens of the unit, before clang parses them. SYCL attributes are replaced by
// attributes that clang understands.
std::vector<clang::Token> editTokens(scythe_unit &Unit, clang::Preprocessor &PP,
                                     WrittenAttributes &Written);

// Sets the unit whose attributes are checked while clang parses it. Null for none.
void checkAttributes(scythe_unit *Unit, const WrittenAttributes *Written);

// Returns the declaration that represents a function everywhere.
const clang::FunctionDecl *canonicalFunction(const clang::FunctionDecl *FD);

// Whether the declaration is inside the outermost namespace with this name.
bool insideNamespace(const clang::Decl *D, llvm::StringRef Name);

// Returns the text of `annotate("scythe::special", text)` on a record, or an empty string.
llvm::StringRef specialKind(const clang::CXXRecordDecl *RD);

// Describes an annotation with its arguments.
scythe_attribute describeAttribute(scythe_unit &Unit, const clang::AnnotateAttr *A);

// Whether an annotation is one of the add_ir attributes, which list properties.
bool listsProperties(const clang::AnnotateAttr *A);

// Returns the annotation with this text, or null.
const clang::AnnotateAttr *annotation(const clang::Decl *D, llvm::StringRef Text);

// Returns the annotation that replaces uses_aspects, or null.
const clang::AnnotateAttr *usesAspects(const clang::Decl *D);

// Returns the double, half and decorated types in an object of the type.
const TypeUse &typeUse(scythe_unit &Unit, clang::QualType T);

// Whether the class is a specialisation of device_global, and whether a type is such a class, an
// array of it, or a reference to it.
bool isDeviceGlobalClass(const clang::CXXRecordDecl *RD);
bool isDeviceGlobal(clang::ASTContext &Ctx, clang::QualType T);
// The same test by name, for types that are not complete yet.
bool mayBeDeviceGlobal(clang::ASTContext &Ctx, clang::QualType T);

// Returns a declaration of the namespace sycl::detail with this name, or null.
clang::NamedDecl *declarationOfHeaders(clang::ASTContext &Ctx, llvm::StringRef Name);

// Describes a device_global variable.
scythe_device_global describeDeviceGlobal(scythe_unit &Unit, const clang::VarDecl *VD);

// Finds objects of class device_global that are not variables at namespace scope.
void findMisuses(scythe_unit &Unit, std::vector<scythe_misuse> &Out);

// Makes the host pass emit a device_global variable, even if host code does not use it, with an
// annotation of its name on devices. Must be called before code generation gets the variable.
void registerOnHost(scythe_unit &Unit, clang::VarDecl *VD);

// The names of the fields of a class. The fields of a lambda have the names of the captures.
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

// Returns the names that g++ gives to the fields of a lambda's class. The map omits elements of
// packs, which have no name, and names that are keywords or macros in g++.
llvm::DenseMap<const clang::FieldDecl *, std::string> gnuNames(scythe_unit &Unit,
                                                               const clang::CXXRecordDecl *Closure);

// Describes the functor of the kernel with this name, in the current pass.
scythe_functor describeFunctor(scythe_unit &Unit, clang::QualType Name,
                               const clang::CXXRecordDecl *Functor);

// Sets the variable with the unit's identifier in host code. A precompiled header has the
// identifier of another unit.
void setUnitId(scythe_unit &Unit);

// Passes all functors that host code launches to Rust.
void describeLaunches(scythe_unit &Unit);

// Free function kernels (free_function.cpp).
//
// Returns the shape that the properties of a function give to it: the number of dimensions, 0 for a
// single task, or -1 for a function that is not a kernel.
int freeFunctionShape(scythe_unit &Unit, const clang::FunctionDecl *FD);
// Sets the facts in a specialisation of `sycl::detail::function_facts`. Ignores other classes.
void setFunctionFacts(scythe_unit &Unit, clang::CXXRecordDecl *RD);
// Appends the rules that the declarations of a free function kernel break.
void findFaults(scythe_unit &Unit, const clang::FunctionDecl *FD,
                std::vector<scythe_faulty_function> &Out);
// Requests the entry point of a free function kernel.
void emitFreeFunction(scythe_unit &Unit, clang::FunctionDecl *FD);
// Returns the function that a kernel with this name runs, or null.
const clang::FunctionDecl *freeFunctionOf(clang::QualType Name);
// Returns the function that a variable with the annotation `scythe::kernel_name` registers, or
// null.
const clang::FunctionDecl *registeredFunction(scythe_unit &Unit, const clang::VarDecl *VD);

// Describes the layout of a functor, for scythe_describe_kernel.
void describeLayout(scythe_unit &Unit, const clang::CXXRecordDecl *Functor,
                    std::vector<scythe_field> &Out);

// Describes the spelling and the declarations of a kernel name, for scythe_describe_kernel.
void describeName(scythe_unit &Unit, clang::QualType Name, scythe_kernel &Out);

#endif

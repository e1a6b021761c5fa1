// Collects the remarks of one pass, which the C API cannot enable. It makes no decisions.
// `src/remarks.rs` declares every function below and states what its caller must guarantee.
#include "fatal_errors.hpp"

#include "llvm-c/Core.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <string>

using namespace llvm;

namespace {

// Passes everything except the remarks of the pass to the callback of the context.
struct Collector : DiagnosticHandler {
  std::string pass;
  // A line for each remark: the function, a tab, the message.
  std::string text;

  bool is_wanted(StringRef name) const { return name.empty() || name == pass; }
  bool isAnalysisRemarkEnabled(StringRef name) const override { return is_wanted(name); }
  bool isMissedOptRemarkEnabled(StringRef name) const override { return is_wanted(name); }
  bool isPassedOptRemarkEnabled(StringRef) const override { return false; }
  bool isAnyRemarkEnabled() const override { return true; }

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    const auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info);
    if (!remark)
      return DiagnosticHandler::handleDiagnostics(info);
    if (is_wanted(remark->getPassName()))
      text += remark->getFunction().getName().str() + '\t' + remark->getMsg() + '\n';
    return true;
  }
};

void keep_callback(DiagnosticHandler &from, DiagnosticHandler &to) {
  to.DiagnosticContext = from.DiagnosticContext;
  to.DiagHandlerCallback = from.DiagHandlerCallback;
}

} // namespace

extern "C" {

// Starts to collect the remarks of a pass.
void scythe_llvm_remarks_begin(LLVMContextRef context, const char *pass) {
  auto collector = std::make_unique<Collector>();
  collector->pass = pass;
  keep_callback(*const_cast<DiagnosticHandler *>(unwrap(context)->getDiagHandlerPtr()), *collector);
  unwrap(context)->setDiagnosticHandler(std::move(collector), true);
}

// Stops, and returns the collected lines, which the caller frees with `free`.
char *scythe_llvm_remarks_end(LLVMContextRef context) {
  std::unique_ptr<DiagnosticHandler> old = unwrap(context)->getDiagnosticHandler();
  auto plain = std::make_unique<DiagnosticHandler>();
  keep_callback(*old, *plain);
  unwrap(context)->setDiagnosticHandler(std::move(plain));
  return scythe_llvm_copy(static_cast<Collector &>(*old).text);
}
}

// Collects the sizes of the stack frames that code generation makes, which only a diagnostic tells.
// It makes no decisions. `src/frames.rs` declares every function below and states what its caller
// must guarantee.
#include "llvm-c/Core.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

using namespace llvm;

typedef void (*TakeFrame)(void *data, const char *name, size_t len, uint64_t bytes);

namespace {

// Passes everything except the sizes of frames to the callback of the context.
struct Frames : DiagnosticHandler {
  TakeFrame take;
  void *data;

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    const auto *frame = dyn_cast<DiagnosticInfoStackSize>(&info);
    if (!frame)
      return DiagnosticHandler::handleDiagnostics(info);
    const StringRef name = frame->getFunction().getName();
    take(data, name.data(), name.size(), frame->getStackSize());
    return true;
  }
};

void keep_callback(const DiagnosticHandler &from, DiagnosticHandler &to) {
  to.DiagnosticContext = from.DiagnosticContext;
  to.DiagHandlerCallback = from.DiagHandlerCallback;
}

} // namespace

extern "C" {

// Asks for the frames of all functions of the module, and passes them to `take`.
void scythe_llvm_frames_begin(LLVMModuleRef module, TakeFrame take, void *data) {
  for (Function &function : *unwrap(module))
    if (!function.isDeclaration())
      function.addFnAttr("warn-stack-size", "0");
  LLVMContext &context = unwrap(module)->getContext();
  auto frames = std::make_unique<Frames>();
  frames->take = take;
  frames->data = data;
  keep_callback(*context.getDiagHandlerPtr(), *frames);
  context.setDiagnosticHandler(std::move(frames));
}

// Stops.
void scythe_llvm_frames_end(LLVMContextRef context) {
  std::unique_ptr<DiagnosticHandler> old = unwrap(context)->getDiagnosticHandler();
  auto plain = std::make_unique<DiagnosticHandler>();
  keep_callback(*old, *plain);
  unwrap(context)->setDiagnosticHandler(std::move(plain));
}
}

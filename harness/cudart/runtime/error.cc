// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/state.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::runtime {
namespace {

struct ErrorText {
  int code;
  const char* name;
  const char* text;
};
constexpr auto kErrors = std::to_array<ErrorText>({
#define X(code, name, text) {code, name, text},
#include "cudart/runtime/error_table.inc"
#undef X
});
constexpr const char* kUnrecognized = "unrecognized error code";

/// Numbers that the device's side knows are those of this table.
constexpr bool IsNamed(int code, std::string_view name) {
  return std::ranges::any_of(
      kErrors, [&](const ErrorText& error) { return error.code == code && error.name == name; });
}
#define SAME(name) static_assert(IsNamed(cuda_error::k##name, "cudaError" #name))
SAME(InvalidValue);
SAME(MemoryAllocation);
SAME(CudartUnloading);
SAME(InvalidConfiguration);
SAME(InvalidSymbol);
SAME(InvalidDeviceFunction);
SAME(NoDevice);
SAME(InvalidPtx);
SAME(InvalidResourceHandle);
SAME(IllegalAddress);
SAME(LaunchOutOfResources);
SAME(LaunchTimeout);
SAME(Assert);
SAME(MisalignedAddress);
SAME(LaunchFailure);
SAME(CooperativeLaunchTooLarge);
SAME(NotSupported);
SAME(GraphExecUpdateFailure);
SAME(Unknown);
#undef SAME

const ErrorText* FindError(cudaError_t error) {
  const auto* const found =
      std::ranges::lower_bound(kErrors, static_cast<int>(error), {}, &ErrorText::code);
  return found != kErrors.end() && found->code == static_cast<int>(error) ? found : nullptr;
}

/// Forgotten once told, also after a fault, which every later call that reaches the device brings
/// back: seen on an H100 with CUDA 13.0.
cudaError_t LastError(bool forget) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  ThreadState& thread = CurrentThread();
  const cudaError_t error = thread.last_error == cudaSuccess ? state.refused : thread.last_error;
  if (forget) {
    thread.last_error = cudaSuccess;
  }
  return error;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() { return LastError(true); }
cudaError_t cudaPeekAtLastError() { return LastError(false); }

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const found = FindError(error);
  return found == nullptr ? kUnrecognized : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const found = FindError(error);
  return found == nullptr ? kUnrecognized : found->text;
}

}  // extern "C"
}  // namespace assay::gpu::runtime

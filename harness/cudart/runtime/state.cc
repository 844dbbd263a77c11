// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/state.h"

#include <fmt/format.h>

#include <type_traits>

#include "cudart/runtime/attachment.h"

namespace assay::gpu::runtime {

ThreadState& CurrentThread() {
  static_assert(std::is_trivially_destructible_v<ThreadState>);
  thread_local ThreadState thread;
  return thread;
}

State& GlobalState() {
  static State* const state = new State;
  return *state;
}

DeviceLink* FindDevice(State& state) {
  if (!state.device_asked) {
    state.device_asked = true;
    state.device = RuntimeAttachment().device();
  }
  return state.device;
}

void Notice(State& state, std::string_view function, cudaError_t code, std::string_view detail) {
  if (code == cudaErrorNotSupported && RuntimeAttachment().refusals() == Refusals::kStay) {
    state.refused = code;
  }
  if (state.told.insert(fmt::format("{}:{}", function, detail)).second) {
    RuntimeAttachment().OnNotice(function, static_cast<int>(code), detail);
  }
}

cudaError_t Fail(State& state, std::string_view function, const DeviceError& error) {
  const auto code = static_cast<cudaError_t>(error.code);
  if (!error.detail.empty()) {
    Notice(state, function, code, error.detail);
  }
  return code == cudaSuccess ? cudaErrorUnknown : code;
}

cudaError_t Record(cudaError_t error) {
  if (error != cudaSuccess) {
    CurrentThread().last_error = error;
  }
  return error;
}

}  // namespace assay::gpu::runtime

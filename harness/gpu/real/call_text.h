// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_REAL_CALL_TEXT_H_
#define ASSAY_GPU_REAL_CALL_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace assay::gpu::real {

/// `u64=N`, a size or a count.
struct NumberArgument {
  std::uint64_t value = 0;
};
/// `in=f32:N`, `in=f64:N`: a device pointer to N random values in [-8, 8), fresh for each call.
struct InputArgument {
  std::uint64_t element_bytes = 0;
  std::uint64_t count = 0;
};
/// `out=T:N`, T one of f32, f64, i32, i64: a device pointer to N elements, all of which must have
/// been written when the call is done.
struct OutputArgument {
  std::uint64_t element_bytes = 0;
  std::uint64_t count = 0;
};
/// `scratch=N`, or `scratch=OPERATION(A,B,…)` for as many bytes as the host's operation says, which
/// takes u64 and a u64* to answer to: a device pointer to uninitialised memory, null for no bytes.
struct ScratchArgument {
  std::uint64_t bytes = 0;
  std::string operation;  ///< Empty: `bytes` it is.
  std::vector<std::uint64_t> arguments;
};
/// `u64=scratch`: how many bytes the scratch has.
struct ScratchBytesArgument {};
/// `stream=N`: a StreamKind (adapter/device_stream.h).
struct StreamArgument {
  std::uint32_t kind = 0;
};
using CallArgument = std::variant<NumberArgument, InputArgument, OutputArgument, ScratchArgument,
                                  ScratchBytesArgument, StreamArgument>;

/// A call of a CUDA operation, as a person writes it: the operation, then its arguments in order.
///
///     softmax_topk_f32 u64=256 u64=32000 u64=8 in=f32:8192000 u64=32000 out=f32:2048 out=i32:2048
///         scratch=softmax_topk_workspace_bytes(256,32000,8) u64=scratch stream=1
struct CallText {
  std::string operation;
  std::vector<CallArgument> arguments;
};

/// Errors name the word: unknown kinds and types, numbers out of range, more than one scratch.
[[nodiscard]] Result<CallText> ParseCall(std::span<const std::string_view> words);

}  // namespace assay::gpu::real

#endif  // ASSAY_GPU_REAL_CALL_TEXT_H_

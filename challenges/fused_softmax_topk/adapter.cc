// SPDX-License-Identifier: Apache-2.0
// Binds the functions of interface.h to operations of the host. It decides nothing: what is right,
// and what it cost, is found out in another process. Models may read this file.

#include "host/adapter.h"

#include <cstddef>
#include <cstdint>

#include "gpu/adapter/device_stream.h"
#include "interface.h"

// The baseline alone has this one: a kernel that writes the probabilities, and one that searches
// them. What fusing them saves is measured against it.
extern "C" int softmax_topk_unfused_f32(size_t rows, size_t vocabulary, size_t k,
                                        const float* logits, size_t row_stride,
                                        float* probabilities, int32_t* indices, void* workspace,
                                        size_t workspace_bytes, softmax_topk_stream stream);

// A submission may leave out functions: what is missing is missing from the table of operations.
#pragma weak softmax_topk_workspace_bytes
#pragma weak softmax_topk_f32
#pragma weak softmax_topk_alternative_f32
#pragma weak softmax_topk_f16
#pragma weak softmax_topk_bf16
#pragma weak softmax_topk_cpu_f32
#pragma weak softmax_topk_unfused_f32

namespace {

int WorkspaceBytes(std::size_t rows, std::size_t vocabulary, std::size_t k, std::uint64_t* bytes) {
  *bytes = softmax_topk_workspace_bytes(rows, vocabulary, k);
  return SOFTMAX_TOPK_OK;
}

template <class Logit>
using Function = int (*)(std::size_t, std::size_t, std::size_t, const Logit*, std::size_t, float*,
                         std::int32_t*, void*, std::size_t, softmax_topk_stream);

/// A function of interface.h with device addresses, and a kind of stream, as they travel.
template <class Logit, Function<Logit> kFunction>
int OnDevice(std::size_t rows, std::size_t vocabulary, std::size_t k, std::uint64_t logits,
             std::size_t row_stride, std::uint64_t probabilities, std::uint64_t indices,
             std::uint64_t workspace, std::size_t workspace_bytes, std::uint32_t stream_kind) {
  using assay::gpu::DevicePointer;
  return assay::gpu::OnStream(stream_kind, [&](softmax_topk_stream stream) {
    return kFunction(rows, vocabulary, k, DevicePointer<const Logit>(logits), row_stride,
                     DevicePointer<float>(probabilities), DevicePointer<std::int32_t>(indices),
                     DevicePointer<void>(workspace), workspace_bytes, stream);
  });
}

constexpr auto kF32 = OnDevice<float, softmax_topk_f32>;
constexpr auto kAlternativeF32 = OnDevice<float, softmax_topk_alternative_f32>;
constexpr auto kF16 = OnDevice<std::uint16_t, softmax_topk_f16>;
constexpr auto kBf16 = OnDevice<std::uint16_t, softmax_topk_bf16>;
constexpr auto kUnfusedF32 = OnDevice<float, softmax_topk_unfused_f32>;

}  // namespace

ASSAY_OPERATION_IF(softmax_topk_workspace_bytes, "softmax_topk_workspace_bytes", WorkspaceBytes);
ASSAY_OPERATION_IF(softmax_topk_f32, "softmax_topk_f32", *kF32);
ASSAY_OPERATION_IF(softmax_topk_alternative_f32, "softmax_topk_alternative_f32", *kAlternativeF32);
ASSAY_OPERATION_IF(softmax_topk_f16, "softmax_topk_f16", *kF16);
ASSAY_OPERATION_IF(softmax_topk_bf16, "softmax_topk_bf16", *kBf16);
ASSAY_OPERATION_IF(softmax_topk_unfused_f32, "softmax_topk_unfused_f32", *kUnfusedF32);
ASSAY_OPERATION("softmax_topk_cpu_f32", softmax_topk_cpu_f32);

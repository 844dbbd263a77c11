// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_EXPORT_CUH_
#define ASSAY_REFERENCE_KV_CACHE_EXPORT_CUH_

#include "baseline_cuda_launch.cuh"

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines the CUDA functions of interface.h with the decisions of `Steps`.
#define KV_CUDA_EXPORT(Steps)                                                               \
  extern "C" {                                                                              \
  size_t kv_paged_decode_cuda_workspace_bytes(int32_t sequences, int32_t query_heads,       \
                                              int32_t kv_heads, int32_t head_size,          \
                                              int32_t page_size, int32_t table_stride) {    \
    assay::kv_cuda::Problem problem{};                                                      \
    problem.sequences = sequences;                                                          \
    problem.query_heads = query_heads;                                                      \
    problem.kv_heads = kv_heads;                                                            \
    problem.head_size = head_size;                                                          \
    problem.page_size = page_size;                                                          \
    problem.table_stride = table_stride;                                                    \
    return assay::kv_cuda::WorkspaceBytes(problem);                                         \
  }                                                                                         \
  int kv_paged_decode_f32_cuda(int32_t sequences, int32_t query_heads, int32_t kv_heads,    \
                               int32_t head_size, int32_t page_size, const float* q,        \
                               const float* key_pages, const float* value_pages,            \
                               const int32_t* page_table, int32_t table_stride,             \
                               const int32_t* lengths, float* out, void* workspace,         \
                               size_t workspace_bytes, kv_stream stream) {                  \
    return assay::kv_cuda::Decode<Steps>(                                                   \
        {sequences, query_heads, kv_heads, head_size, page_size, q, key_pages, value_pages, \
         page_table, table_stride, lengths, out},                                           \
        workspace, workspace_bytes, stream);                                                \
  }                                                                                         \
  }                                                                                         \
  static_assert(true)

// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_REFERENCE_KV_CACHE_EXPORT_CUH_

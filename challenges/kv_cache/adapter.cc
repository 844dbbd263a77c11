// SPDX-License-Identifier: Apache-2.0
// Binds the functions of interface.h to operations of the host. It decides nothing: what is right,
// and how long it took, is found out in another process. Models may read this file.

#include "host/adapter.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "gpu/adapter/device_stream.h"
#include "interface.h"

// A submission may leave out functions: what is missing is missing from the table of operations.
#pragma weak kv_capabilities
#pragma weak kv_create
#pragma weak kv_destroy
#pragma weak kv_prefill
#pragma weak kv_append
#pragma weak kv_attend
#pragma weak kv_free
#pragma weak kv_fork
#pragma weak kv_length
#pragma weak kv_get_usage
#pragma weak kv_read
#pragma weak kv_decoder_create
#pragma weak kv_decoder_destroy
#pragma weak kv_decoder_reset
#pragma weak kv_decoder_prefill
#pragma weak kv_decoder_step
#pragma weak kv_sample
#pragma weak kv_paged_decode_f32_cuda
#pragma weak kv_paged_decode_cuda_workspace_bytes

namespace {

/// Handles cross the wire as numbers: a pointer from there would be a pointer that a test made up.
/// 0 is the null handle, and so is every number that stands for nothing.
template <class T>
class Handles {
 public:
  std::uint64_t Add(T* handle) {
    if (handle == nullptr) {
      return 0;
    }
    handles_.emplace(++last_, handle);
    return last_;
  }
  T* Find(std::uint64_t number) const {
    const auto found = handles_.find(number);
    return found == handles_.end() ? nullptr : found->second;
  }
  T* Remove(std::uint64_t number) {
    T* handle = Find(number);
    handles_.erase(number);
    return handle;
  }

 private:
  std::unordered_map<std::uint64_t, T*> handles_;
  std::uint64_t last_ = 0;
};

/// What lies where a create function shall write its handle: no null pointer, so that one which
/// looks at it first, or clears it though it refuses, is seen. It leads to nothing that may be
/// used.
template <class T>
T* NoHandle() {
  static std::byte nothing;
  return reinterpret_cast<T*>(&nothing);
}

/// What goes over the wire for what `created` is after a create function that returned `status`. A
/// refusal leaves the number as it was, unless the function has changed the handle all the same.
template <class T>
std::uint64_t NumberOf(Handles<T>& handles, int status, T* created, std::uint64_t before) {
  if (status != KV_OK) {
    return created == NoHandle<T>() ? before : 0;
  }
  return created == NoHandle<T>() ? 0 : handles.Add(created);
}

Handles<kv_cache>& Caches() {
  static Handles<kv_cache> handles;
  return handles;
}
Handles<kv_decoder>& Decoders() {
  static Handles<kv_decoder> handles;
  return handles;
}

int Capabilities(std::int32_t* bits) {
  *bits = kv_capabilities();
  return KV_OK;
}

int Create(std::int32_t layers, std::int32_t query_heads, std::int32_t kv_heads,
           std::int32_t head_size, std::int32_t batch, std::int32_t capacity, std::int32_t storage,
           std::int32_t page_size, std::int32_t pages, std::int32_t window, std::uint64_t* cache) {
  const kv_config config = {layers,   query_heads, kv_heads,  head_size, batch,
                            capacity, storage,     page_size, pages,     window};
  auto* created = NoHandle<kv_cache>();
  const int status = kv_create(&config, &created);
  *cache = NumberOf(Caches(), status, created, *cache);
  return status;
}

int Destroy(std::uint64_t cache) { return kv_destroy(Caches().Remove(cache)); }

int Prefill(std::uint64_t cache, std::int32_t layer, std::int32_t sequence, std::size_t tokens,
            const float* q, const float* k, const float* v, float* out) {
  return kv_prefill(Caches().Find(cache), layer, sequence, tokens, q, k, v, out);
}

int Append(std::uint64_t cache, std::int32_t layer, std::size_t count,
           const std::int32_t* sequences, const float* k, const float* v) {
  return kv_append(Caches().Find(cache), layer, count, sequences, k, v);
}

int Attend(std::uint64_t cache, std::int32_t layer, std::size_t count,
           const std::int32_t* sequences, const float* q, float* out) {
  return kv_attend(Caches().Find(cache), layer, count, sequences, q, out);
}

int Free(std::uint64_t cache, std::int32_t sequence) {
  return kv_free(Caches().Find(cache), sequence);
}

int Fork(std::uint64_t cache, std::int32_t parent, std::int32_t child) {
  return kv_fork(Caches().Find(cache), parent, child);
}

int Length(std::uint64_t cache, std::int32_t layer, std::int32_t sequence, std::uint64_t* tokens) {
  std::size_t length = *tokens;
  const int status = kv_length(Caches().Find(cache), layer, sequence, &length);
  *tokens = length;
  return status;
}

/// kv_get_usage as one array: bytes, pages in use, pages free.
int Usage(std::uint64_t cache, std::uint64_t* usage) {
  kv_usage filled = {.bytes = usage[0], .pages_in_use = usage[1], .pages_free = usage[2]};
  const int status = kv_get_usage(Caches().Find(cache), &filled);
  usage[0] = filled.bytes;
  usage[1] = filled.pages_in_use;
  usage[2] = filled.pages_free;
  return status;
}

int Read(std::uint64_t cache, std::int32_t layer, std::int32_t sequence, std::size_t first,
         std::size_t count, float* k, float* v) {
  return kv_read(Caches().Find(cache), layer, sequence, first, count, k, v);
}

int DecoderCreate(std::int32_t layers, std::int32_t width, std::int32_t query_heads,
                  std::int32_t kv_heads, std::int32_t head_size, std::int32_t mlp_width,
                  std::int32_t vocabulary, std::int32_t capacity, std::int32_t window,
                  float rope_base, float norm_eps, const float* weights, std::size_t weight_count,
                  std::uint64_t* decoder) {
  const kv_decoder_config config = {layers,    width,     query_heads, kv_heads,
                                    head_size, mlp_width, vocabulary,  capacity,
                                    window,    rope_base, norm_eps};
  auto* created = NoHandle<kv_decoder>();
  const int status = kv_decoder_create(&config, weights, weight_count, &created);
  *decoder = NumberOf(Decoders(), status, created, *decoder);
  return status;
}

int DecoderDestroy(std::uint64_t decoder) { return kv_decoder_destroy(Decoders().Remove(decoder)); }

int DecoderReset(std::uint64_t decoder) { return kv_decoder_reset(Decoders().Find(decoder)); }

int DecoderPrefill(std::uint64_t decoder, std::size_t count, const std::int32_t* tokens,
                   float* logits) {
  return kv_decoder_prefill(Decoders().Find(decoder), count, tokens, logits);
}

int DecoderStep(std::uint64_t decoder, std::int32_t token, float* logits) {
  return kv_decoder_step(Decoders().Find(decoder), token, logits);
}

int PagedDecodeWorkspaceBytes(std::int32_t sequences, std::int32_t query_heads,
                              std::int32_t kv_heads, std::int32_t head_size, std::int32_t page_size,
                              std::int32_t table_stride, std::uint64_t* bytes) {
  *bytes = kv_paged_decode_cuda_workspace_bytes(sequences, query_heads, kv_heads, head_size,
                                                page_size, table_stride);
  return KV_OK;
}

int PagedDecode(std::int32_t sequences, std::int32_t query_heads, std::int32_t kv_heads,
                std::int32_t head_size, std::int32_t page_size, std::uint64_t q,
                std::uint64_t key_pages, std::uint64_t value_pages, std::uint64_t page_table,
                std::int32_t table_stride, std::uint64_t lengths, std::uint64_t out,
                std::uint64_t workspace, std::size_t workspace_bytes, std::uint32_t stream_kind) {
  using assay::gpu::DevicePointer;
  return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
    return kv_paged_decode_f32_cuda(
        sequences, query_heads, kv_heads, head_size, page_size, DevicePointer<const float>(q),
        DevicePointer<const float>(key_pages), DevicePointer<const float>(value_pages),
        DevicePointer<const std::int32_t>(page_table), table_stride,
        DevicePointer<const std::int32_t>(lengths), DevicePointer<float>(out),
        DevicePointer<void>(workspace), workspace_bytes, stream);
  });
}

}  // namespace

ASSAY_OPERATION_IF(kv_capabilities, "kv_capabilities", Capabilities);
ASSAY_OPERATION_IF(kv_create, "kv_create", Create);
ASSAY_OPERATION_IF(kv_destroy, "kv_destroy", Destroy);
ASSAY_OPERATION_IF(kv_prefill, "kv_prefill", Prefill);
ASSAY_OPERATION_IF(kv_append, "kv_append", Append);
ASSAY_OPERATION_IF(kv_attend, "kv_attend", Attend);
ASSAY_OPERATION_IF(kv_free, "kv_free", Free);
ASSAY_OPERATION_IF(kv_fork, "kv_fork", Fork);
ASSAY_OPERATION_IF(kv_length, "kv_length", Length);
ASSAY_OPERATION_IF(kv_get_usage, "kv_get_usage", Usage);
ASSAY_OPERATION_IF(kv_read, "kv_read", Read);
ASSAY_OPERATION_IF(kv_decoder_create, "kv_decoder_create", DecoderCreate);
ASSAY_OPERATION_IF(kv_decoder_destroy, "kv_decoder_destroy", DecoderDestroy);
ASSAY_OPERATION_IF(kv_decoder_reset, "kv_decoder_reset", DecoderReset);
ASSAY_OPERATION_IF(kv_decoder_prefill, "kv_decoder_prefill", DecoderPrefill);
ASSAY_OPERATION_IF(kv_decoder_step, "kv_decoder_step", DecoderStep);
ASSAY_OPERATION("kv_sample", kv_sample);
ASSAY_OPERATION_IF(kv_paged_decode_cuda_workspace_bytes, "kv_paged_decode_cuda_workspace_bytes",
                   PagedDecodeWorkspaceBytes);
ASSAY_OPERATION_IF(kv_paged_decode_f32_cuda, "kv_paged_decode_f32_cuda", PagedDecode);

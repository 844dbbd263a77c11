// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_ADAPTER_DEVICE_STREAM_H_
#define ASSAY_GPU_ADAPTER_DEVICE_STREAM_H_

#include <cstdint>
#include <utility>

// Weak where they are used, and not where they are defined: device_stream.cc defines this empty.
#ifndef ASSAY_DEVICE_STREAM_WEAK
#define ASSAY_DEVICE_STREAM_WEAK [[gnu::weak]]
#endif

struct CUstream_st;

/// What the adapter of a challenge with CUDA operations includes beside host/adapter.h. It needs
/// no CUDA header, and a host without CUDA objects links without a CUDA runtime: the functions
/// below are weak there, and no operation that calls them is registered. An adapter decides
/// nothing; models may read it.
///
/// Device pointers travel as std::uint64_t: the grader owns device memory.
///
///     int Scale(std::size_t n, std::uint64_t x, std::uint64_t y, std::uint32_t stream_kind) {
///       return assay::gpu::OnStream(stream_kind, [&](CUstream_st* stream) {
///         return scale_f32(n, assay::gpu::DevicePointer<const float>(x),
///                          assay::gpu::DevicePointer<float>(y), stream);
///       });
///     }

namespace assay::gpu {

enum class StreamKind : std::uint32_t {
  kDefault = 0,      ///< The stream 0.
  kNonBlocking = 1,  ///< One made with cudaStreamNonBlocking, the same for all calls.
};

/// An operation that every host with CUDA has: gives the stream of that kind a copy of rows within
/// device memory, dense in `from` and `stride_bytes` apart in `to`, and waits for nothing. So work
/// is on the stream when the next operation begins.
///
///     assay_copy_on_stream(u64 to, u64 stride_bytes, u64 from, u64 row_bytes, u64 rows, u32 kind)
inline constexpr char kCopyOnStreamName[] = "assay_copy_on_stream";

/// What OnStream returns when the stream could not be made or did not synchronise.
inline constexpr int kStreamFailed = -1;

/// The stream of that kind; made at its first use. A thread may call it at any time. False: it
/// could not be made, or there is no such kind.
ASSAY_DEVICE_STREAM_WEAK bool GetStream(StreamKind kind, CUstream_st** stream);
/// Waits until all work on it is done. False: the device failed.
ASSAY_DEVICE_STREAM_WEAK bool SynchronizeStream(CUstream_st* stream);

template <class T>
[[nodiscard]] T* DevicePointer(std::uint64_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses travel as integers.
  return reinterpret_cast<T*>(address);
}

/// Calls function(stream), which returns a status, and waits for the stream.
template <class Function>
int OnStream(std::uint32_t kind, Function&& function) {
  CUstream_st* stream = nullptr;
  if (!GetStream(static_cast<StreamKind>(kind), &stream)) {
    return kStreamFailed;
  }
  const int status = std::forward<Function>(function)(stream);
  return SynchronizeStream(stream) ? status : kStreamFailed;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_ADAPTER_DEVICE_STREAM_H_

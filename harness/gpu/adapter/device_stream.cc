// SPDX-License-Identifier: Apache-2.0
// The streams of CUDA operations, by the CUDA runtime that the host is linked with: the emulated
// one, or NVIDIA's.
#define ASSAY_DEVICE_STREAM_WEAK
#include "gpu/adapter/device_stream.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "host/adapter.h"

namespace assay::gpu {
namespace {

/// Never destroyed: the process ends with it, and a submission's destructors may still use it.
struct NonBlockingStream {
  std::mutex mutex;
  cudaStream_t stream = nullptr;
};

NonBlockingStream& Shared() {
  static NonBlockingStream* const shared = new NonBlockingStream;
  return *shared;
}

int CopyOnStream(std::uint64_t to, std::uint64_t stride_bytes, std::uint64_t from,
                 std::uint64_t row_bytes, std::uint64_t rows, std::uint32_t kind) {
  CUstream_st* stream = nullptr;
  if (!GetStream(static_cast<StreamKind>(kind), &stream)) {
    return kStreamFailed;
  }
  return cudaMemcpy2DAsync(DevicePointer<std::byte>(to), stride_bytes,
                           DevicePointer<const std::byte>(from), row_bytes, row_bytes, rows,
                           cudaMemcpyDeviceToDevice, stream);
}

ASSAY_OPERATION(kCopyOnStreamName, CopyOnStream);

}  // namespace

bool GetStream(StreamKind kind, CUstream_st** stream) {
  switch (kind) {
    case StreamKind::kDefault:
      *stream = nullptr;
      return true;
    case StreamKind::kNonBlocking: {
      NonBlockingStream& shared = Shared();
      const std::lock_guard lock(shared.mutex);
      // A submission may have reset the device, and the stream with it.
      unsigned flags = 0;
      const bool alive =
          shared.stream != nullptr && cudaStreamGetFlags(shared.stream, &flags) == cudaSuccess;
      if (!alive && shared.stream != nullptr) {
        cudaGetLastError();  // Of this question: not for a submission that asks for the last error.
      }
      if (!alive &&
          cudaStreamCreateWithFlags(&shared.stream, cudaStreamNonBlocking) != cudaSuccess) {
        shared.stream = nullptr;
        return false;
      }
      *stream = shared.stream;
      return true;
    }
  }
  return false;
}

bool SynchronizeStream(CUstream_st* stream) { return cudaStreamSynchronize(stream) == cudaSuccess; }

}  // namespace assay::gpu

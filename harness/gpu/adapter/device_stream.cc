// SPDX-License-Identifier: Apache-2.0
// The streams of CUDA operations, by the CUDA runtime that the host is linked with: the emulated
// one, or NVIDIA's.
#define ASSAY_DEVICE_STREAM_WEAK
#include "gpu/adapter/device_stream.h"

#include <cuda_runtime_api.h>

#include <mutex>

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

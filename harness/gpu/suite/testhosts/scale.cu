// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "gpu/suite/testhosts/scale.h"

namespace {

constexpr int kFailed = 4;

__global__ void Scale(std::size_t columns, const float* x, std::size_t stride, float* y, float by,
                      std::size_t leave_out) {
  const float* from = x + blockIdx.x * stride;
  float* to = y + blockIdx.x * columns;
  for (std::size_t i = threadIdx.x; i + leave_out < columns; i += blockDim.x) {
    to[i] = by * from[i];
  }
}

__global__ void Race(float* y) {
  __shared__ float cells[64];
  cells[threadIdx.x] = y[0];
  if (cells[63 - threadIdx.x] == 12345.678f) {  // Nobody waited for the other warp.
    y[0] = 0;
  }
}

/// Reads x[at], and does nothing with it that could be seen.
__global__ void Read(const float* x, std::size_t at, float* y) {
  if (x[at] == 12345.678f) {
    y[0] = 0;
  }
}

__global__ void Write(float* x, std::size_t at) { x[at] = 1; }

__global__ void Spin(volatile float* x) {
  while (*x != 12345.678f) {
  }
}

__global__ void Trap() { asm("trap;"); }

__global__ void Unsupported(cudaTextureObject_t texture, float* y) {
  y[0] = tex1Dfetch<float>(texture, 0);
}

int Misbehave(std::size_t rows, std::size_t columns, const float* x, std::size_t stride, float* y,
              float* workspace, Mode mode, cudaStream_t on, cudaStream_t stream) {
  const std::size_t last = (rows - 1) * stride + columns;
  auto* input = const_cast<float*>(x);
  switch (mode) {
    case Mode::kRace:
      Race<<<1, 64, 0, stream>>>(y);
      break;
    case Mode::kReadsPastEnd:
      Read<<<1, 1, 0, stream>>>(x, last, y);
      break;
    case Mode::kReadsGap:
      Read<<<1, 1, 0, stream>>>(x, columns, y);
      break;
    case Mode::kReadsWorkspace:
      Read<<<1, 1, 0, stream>>>(workspace, 0, y);
      break;
    case Mode::kWritesInput:
      Write<<<1, 1, 0, stream>>>(input, 1);
      break;
    case Mode::kWritesGap:
      Write<<<1, 1, 0, stream>>>(input, columns);
      break;
    case Mode::kUnsupported:
      Unsupported<<<1, 1, 0, stream>>>(0, y);
      break;
    case Mode::kEndless:
      Spin<<<1, 32, 0, stream>>>(input);
      break;
    case Mode::kTraps:
      Trap<<<1, 1, 0, stream>>>();
      break;
    case Mode::kOutOfMemory:
      while (true) {
        void* memory = nullptr;
        if (cudaMalloc(&memory, std::size_t{1} << 30) != cudaSuccess) {
          return kFailed;
        }
      }
    case Mode::kDereferences:
      return x[0] == 12345.678f ? 1 : 0;
    case Mode::kFreesInput:
      cudaStreamSynchronize(stream);
      cudaFree(input);
      break;
    case Mode::kKeeps: {
      void* memory = nullptr;
      return cudaMalloc(&memory, 4096) == cudaSuccess ? 0 : kFailed;
    }
    case Mode::kJoinedSideStream: {
      cudaEvent_t event = nullptr;
      const bool joined = cudaEventCreate(&event) == cudaSuccess &&
                          cudaEventRecord(event, on) == cudaSuccess &&
                          cudaStreamWaitEvent(stream, event) == cudaSuccess;
      return joined ? 0 : kFailed;
    }
    case Mode::kTexture: {
      cudaTextureObject_t texture = 0;
      const cudaResourceDesc resource{};
      const cudaTextureDesc description{};
      return cudaCreateTextureObject(&texture, &resource, &description, nullptr) == cudaSuccess
                 ? 0
                 : kFailed;
    }
    default:
      break;
  }
  return 0;
}

}  // namespace

extern "C" int scale_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t stride,
                          float* y, float* workspace, std::int32_t mode_number,
                          CUstream_st* stream) {
  const auto mode = static_cast<Mode>(mode_number);
  cudaStream_t on = stream;
  if ((mode == Mode::kSideStream || mode == Mode::kJoinedSideStream) &&
      cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking) != cudaSuccess) {
    return kFailed;
  }
  if (mode == Mode::kAsksStream && cudaStreamQuery(stream) != cudaSuccess) {
    return kFailed;
  }
  if (mode == Mode::kRefuses) {
    return 2;
  }
  const unsigned blocks = static_cast<unsigned>(rows);
  if (mode == Mode::kReadsOutput) {
    Read<<<1, 1, 0, stream>>>(y, 0, workspace);
  }
  for (int i = 0; i < (mode == Mode::kTwice ? 2 : 1); ++i) {
    Scale<<<blocks, 64, 0, on>>>(columns, x, stride, y, mode == Mode::kWrong ? 2.5f : 2.0f,
                                 mode == Mode::kLeavesLast ? 1 : 0);
  }
  if (cudaGetLastError() != cudaSuccess) {
    return kFailed;
  }
  return Misbehave(rows, columns, x, stride, y, workspace, mode, on, stream);
}

// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

/// A symbol's device memory. Host code names a managed variable by its address.
cudaError_t Locate(State& state, const void* symbol, DeviceVariable* variable) {
  if (const Mirror* const mirror =
          state.mirrors.FindByDevice(std::bit_cast<std::uint64_t>(symbol))) {
    *variable = {.address = mirror->device, .size_bytes = mirror->size_bytes};
    return cudaSuccess;
  }
  Symbol* found = nullptr;
  const cudaError_t error = FindSymbol(state, symbol, &found);
  if (error == cudaSuccess) {
    *variable = found->variable;
  }
  return error;
}

enum class Direction : std::uint8_t { kToSymbol, kFromSymbol };

struct SymbolCopy {
  const void* symbol = nullptr;
  std::uint64_t other = 0;  ///< The address of what is not the symbol.
  std::uint64_t size_bytes = 0;
  std::uint64_t offset_bytes = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

cudaError_t PlanSymbolCopy(State& state, Direction direction, const SymbolCopy& copy, Work* work) {
  const cudaMemcpyKind own_kind =
      direction == Direction::kToSymbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  if (copy.kind != own_kind && copy.kind != cudaMemcpyDeviceToDevice &&
      copy.kind != cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  DeviceVariable variable;
  if (const cudaError_t error = Locate(state, copy.symbol, &variable); error != cudaSuccess) {
    return error;
  }
  if (copy.offset_bytes > variable.size_bytes ||
      copy.size_bytes > variable.size_bytes - copy.offset_bytes) {
    return cudaErrorInvalidValue;
  }
  const CopyWork::End inside{.address = variable.address + copy.offset_bytes};
  const CopyWork::End other{.address = copy.other};
  const bool to_symbol = direction == Direction::kToSymbol;
  return PlanCopy(state,
                  {.to = to_symbol ? inside : other,
                   .from = to_symbol ? other : inside,
                   .width_bytes = copy.size_bytes,
                   .kind = copy.kind},
                  work);
}

cudaError_t CopySymbol(cudaStream_t stream, Direction direction, const SymbolCopy& copy,
                       Until until = Until::kQueued) {
  return Enter([&](State& state) {
    Work work;
    const cudaError_t error = PlanSymbolCopy(state, direction, copy, &work);
    return error == cudaSuccess ? Submit(state, stream, std::move(work), until) : error;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size_bytes,
                                    std::size_t offset_bytes, cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  return CopySymbol(stream, Direction::kToSymbol,
                    {symbol, std::bit_cast<std::uint64_t>(from), size_bytes, offset_bytes, kind});
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size_bytes,
                               std::size_t offset_bytes, cudaMemcpyKind kind) {
  return CopySymbol(nullptr, Direction::kToSymbol,
                    {symbol, std::bit_cast<std::uint64_t>(from), size_bytes, offset_bytes, kind},
                    Until::kDone);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size_bytes,
                                      std::size_t offset_bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return CopySymbol(stream, Direction::kFromSymbol,
                    {symbol, std::bit_cast<std::uint64_t>(to), size_bytes, offset_bytes, kind});
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size_bytes,
                                 std::size_t offset_bytes, cudaMemcpyKind kind) {
  return CopySymbol(nullptr, Direction::kFromSymbol,
                    {symbol, std::bit_cast<std::uint64_t>(to), size_bytes, offset_bytes, kind},
                    Until::kDone);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return Enter([&](State& state) {
    if (pointer == nullptr) {
      return cudaErrorInvalidValue;
    }
    DeviceVariable variable;
    const cudaError_t error = Locate(state, symbol, &variable);
    if (error == cudaSuccess) {
      *pointer = std::bit_cast<void*>(variable.address);
    }
    return error;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol) {
  return Enter([&](State& state) {
    if (size_bytes == nullptr) {
      return cudaErrorInvalidValue;
    }
    DeviceVariable variable;
    const cudaError_t error = Locate(state, symbol, &variable);
    if (error == cudaSuccess) {
      *size_bytes = variable.size_bytes;
    }
    return error;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime

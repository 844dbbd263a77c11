// SPDX-License-Identifier: Apache-2.0
// What a program can ask and set of a kernel.
#include <algorithm>
#include <cstring>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/limits.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

template <class Body>
cudaError_t WithKernel(const void* function, Body&& body) {
  return Enter([&](State& state) {
    CUkern_st* kernel = nullptr;
    const cudaError_t error = FindKernel(state, function, &kernel);
    return error == cudaSuccess ? body(state, *kernel) : error;
  });
}

FunctionAttributes AttributesOf(const State& state, const CUkern_st& kernel) {
  // Told where no SASS was at hand: programs divide by it.
  constexpr std::uint32_t kAssumedRegisters = 32;
  const KernelResources& resources = kernel.info.resources;
  const GpuModel& model = state.device->model();
  FunctionAttributes attributes{};
  attributes.sharedSizeBytes = resources.static_shared_bytes;
  attributes.constSizeBytes = resources.constant_bytes;
  attributes.localSizeBytes = resources.local_bytes;
  attributes.maxThreadsPerBlock = static_cast<int>(MostThreads(model, resources));
  attributes.numRegs = static_cast<int>(resources.registers_per_thread.value_or(kAssumedRegisters));
  attributes.ptxVersion = kernel.binary->ptx_arch;
  attributes.binaryVersion = model.compute_major * 10 + model.compute_minor;
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(
      std::min(kernel.dynamic_shared_limit_bytes,
               model.shared_bytes_per_block_optin - resources.static_shared_bytes));
  attributes.preferredShmemCarveout = kernel.shared_carveout_percent;
  return attributes;
}

cudaError_t SetAttribute(const State& state, CUkern_st& kernel, cudaFuncAttribute attribute,
                         int value) {
  const std::uint64_t static_bytes = kernel.info.resources.static_shared_bytes;
  const std::uint64_t most = state.device->model().shared_bytes_per_block_optin;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_bytes > most ||
          static_cast<std::uint64_t>(value) > most - static_bytes) {
        return cudaErrorInvalidValue;
      }
      kernel.dynamic_shared_limit_bytes = static_cast<std::uint64_t>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) {
        return cudaErrorInvalidValue;
      }
      kernel.shared_carveout_percent = value;
      return cudaSuccess;
    default:
      // Clusters, and numbers that are no attribute.
      return cudaErrorInvalidValue;
  }
}

}  // namespace

extern "C" {

// 11's structure is the start of 12's and 13's: as much is written as every caller has, unless it
// is known to have more.
cudaError_t cudaFuncGetAttributes(void* attributes, const void* function) {
  return WithKernel(function, [&](const State& state, const CUkern_st& kernel) {
    constexpr int kFirstWithAll = 12;
    if (attributes == nullptr) {
      return cudaErrorInvalidValue;
    }
    const FunctionAttributes all = AttributesOf(state, kernel);
    const auto toolkits = FindProgramToolkits(state);
    const bool takes_all = toolkits && toolkits->oldest.major >= kFirstWithAll;
    std::memcpy(attributes, &all, takes_all ? sizeof all : kFunctionAttributes11Bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return WithKernel(function, [&](const State& state, CUkern_st& kernel) {
    return SetAttribute(state, kernel, attribute, value);
  });
}

// The split of L1 and shared memory is not modelled: nothing here depends on it.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache /*config*/) {
  return WithKernel(function, [](const State&, const CUkern_st&) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig /*config*/) {
  return WithKernel(function, [](const State&, const CUkern_st&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return WithKernel(function, [&](const State&, const CUkern_st& kernel) {
    if (name == nullptr) {
      return cudaErrorInvalidValue;
    }
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* size_bytes) {
  return WithKernel(function, [&](const State&, const CUkern_st& kernel) {
    if (offset == nullptr || index >= kernel.info.parameter_sizes.size()) {
      return cudaErrorInvalidValue;
    }
    *offset = kernel.info.parameter_offsets[index];
    if (size_bytes != nullptr) {
      *size_bytes = kernel.info.parameter_sizes[index];
    }
    return cudaSuccess;
  });
}

// The function of a stub, for the driver's interface; the handle is a kernel's.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return WithKernel(function, [&](const State&, CUkern_st& kernel) {
    if (handle == nullptr) {
      return cudaErrorInvalidValue;
    }
    *handle = static_cast<cudaFunction_t>(static_cast<void*>(&kernel));
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime

// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/registry.h"

#include <bit>
#include <tuple>

#include "cudart/runtime/image.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

/// Gives the managed variables of a binary their addresses.
cudaError_t AdoptManagedVariables(State& state, const Binary& binary) {
  for (const auto& symbol : state.registry.symbols) {
    if (symbol->binary != &binary || symbol->managed_pointer == nullptr) {
      continue;
    }
    const auto found = state.device->FindVariable(binary.module, symbol->name);
    if (!found) {
      continue;  // Declared, and used by no kernel: nvcc leaves it out of the PTX.
    }
    symbol->variable = *found;
    if (const cudaError_t error = AdoptManaged(state, found->address, found->size_bytes);
        error != cudaSuccess) {
      return error;
    }
    const std::span<std::byte> host{std::bit_cast<std::byte*>(found->address), found->size_bytes};
    if (const auto copied = state.device->CopyFromDevice(host, found->address); !copied) {
      return Fail(state, symbol->name, copied.error());
    }
    *symbol->managed_pointer = std::bit_cast<void*>(found->address);
  }
  return cudaSuccess;
}

cudaError_t LoadNow(State& state, Binary& binary) {
  const GpuModel& model = state.device->model();
  const int compute_capability = model.compute_major * 10 + model.compute_minor;
  const auto image = ReadImage(binary, compute_capability);
  if (!image) {
    return Fail(state, "", image.error());
  }
  const auto module = state.device->LoadModule(image->ptx, image->machine_code);
  if (!module) {
    return Fail(state, "", module.error());
  }
  binary.module = *module;
  binary.ptx_arch = image->arch;
  return AdoptManagedVariables(state, binary);
}

}  // namespace

cudaError_t Load(State& state, Binary& binary) {
  if (binary.stage == Binary::Stage::kRegistered) {
    binary.error = LoadNow(state, binary);
    binary.stage = binary.error == cudaSuccess ? Binary::Stage::kLoaded : Binary::Stage::kFailed;
  }
  return binary.error;
}

void UnloadAll(State& state) {
  for (const auto& binary : state.registry.binaries) {
    if (binary->stage == Binary::Stage::kLoaded) {
      std::ignore = state.device->UnloadModule(binary->module);
    }
    binary->stage = Binary::Stage::kRegistered;
    binary->error = cudaSuccess;
  }
  for (const auto& kernel : state.registry.kernels) {
    kernel->found = false;
    kernel->dynamic_shared_limit_bytes = CUkern_st::kDefaultDynamicSharedBytes;
  }
  for (const auto& symbol : state.registry.symbols) {
    symbol->variable = {};
  }
}

cudaError_t FindKernel(State& state, const void* function, CUkern_st** kernel) {
  Registry& registry = state.registry;
  CUkern_st* found = nullptr;
  if (const auto stub = registry.kernel_by_stub.find(function);
      stub != registry.kernel_by_stub.end()) {
    found = stub->second;
  } else if (registry.kernel_handles.contains(function)) {
    found = static_cast<CUkern_st*>(const_cast<void*>(function));
  } else {
    return cudaErrorInvalidDeviceFunction;
  }
  if (const cudaError_t error = Load(state, *found->binary); error != cudaSuccess) {
    return error;
  }
  if (!found->found) {
    const auto info = state.device->FindKernel(found->binary->module, found->name);
    if (!info) {
      return Fail(state, found->name, info.error());
    }
    found->info = *info;
    found->found = true;
  }
  *kernel = found;
  return cudaSuccess;
}

cudaError_t FindSymbol(State& state, const void* host_address, Symbol** symbol) {
  const auto entry = state.registry.symbol_by_host_address.find(host_address);
  if (entry == state.registry.symbol_by_host_address.end()) {
    return cudaErrorInvalidSymbol;
  }
  Symbol& found = *entry->second;
  if (const cudaError_t error = Load(state, *found.binary); error != cudaSuccess) {
    return error;
  }
  if (found.variable.address == 0) {
    const auto variable = state.device->FindVariable(found.binary->module, found.name);
    if (!variable) {
      return Fail(state, found.name, variable.error());
    }
    found.variable = *variable;
  }
  *symbol = &found;
  return cudaSuccess;
}

}  // namespace assay::gpu::runtime

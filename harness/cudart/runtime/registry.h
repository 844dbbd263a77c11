// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_REGISTRY_H_
#define ASSAY_CUDART_RUNTIME_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/toolkit_version.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

struct State;

/// One fat binary that a program registered. Read, and its PTX given to the device, when something
/// of it is first used.
struct Binary {
  enum class Stage : std::uint8_t { kRegistered, kLoaded, kFailed };
  const void* wrapper = nullptr;  ///< As registered.
  Stage stage = Stage::kRegistered;
  cudaError_t error = cudaSuccess;        ///< Of kFailed.
  ModuleId module = 0;                    ///< Of kLoaded.
  int ptx_arch = 0;                       ///< 80: .target of the PTX that was chosen.
  std::optional<ToolkitVersion> toolkit;  ///< That wrote it, where that is known.
  bool registered = true;                 ///< Until __cudaUnregisterFatBinary.
};

/// A `__device__`, `__constant__` or `__managed__` variable of a program.
struct Symbol {
  Binary* binary = nullptr;
  std::string name;
  std::size_t size_bytes = 0;
  /// Of a managed variable: where its host code looks for the address. Else null.
  void** managed_pointer = nullptr;
  DeviceVariable variable;  ///< Address 0: not looked up yet.
};

}  // namespace assay::gpu::runtime

/// A kernel: what a cudaKernel_t points to.
struct CUkern_st {
  static constexpr std::uint32_t kDefaultDynamicSharedBytes = 48 * 1024;
  assay::gpu::runtime::Binary* binary = nullptr;
  std::string name;            ///< Mangled.
  const void* stub = nullptr;  ///< The host function that stands for it.
  bool found = false;          ///< `info` is there.
  assay::gpu::KernelInfo info;
  std::uint64_t dynamic_shared_limit_bytes = kDefaultDynamicSharedBytes;
  int shared_carveout_percent = -1;
};

namespace assay::gpu::runtime {

/// All that programs registered. Pointers to elements stay valid for the life of the process: a
/// program may keep a handle longer than what it names.
struct Registry {
  std::vector<std::unique_ptr<Binary>> binaries;
  std::vector<std::unique_ptr<CUkern_st>> kernels;
  std::vector<std::unique_ptr<Symbol>> symbols;
  std::map<const void*, CUkern_st*> kernel_by_stub;
  std::set<const void*> kernel_handles;
  std::map<const void*, Symbol*> symbol_by_host_address;
};

/// The kernel that `function` names: a host stub, or a cudaKernel_t. Its PTX is on the device and
/// its KernelInfo is there when this succeeds.
/// Errors: 98 for what is no kernel, 209 without PTX that this GPU can run, and the device's own.
cudaError_t FindKernel(State& state, const void* function, CUkern_st** kernel);

/// The variable whose host shadow is at `host_address`; cudaErrorInvalidSymbol (13) for others.
cudaError_t FindSymbol(State& state, const void* host_address, Symbol** symbol);

/// Reads `binary` and gives it to the device, once.
cudaError_t Load(State& state, Binary& binary);

/// Unloads all, so that each is loaded anew at its next use: cudaDeviceReset.
void UnloadAll(State& state);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_REGISTRY_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_MODULES_H_
#define ASSAY_EMULATOR_DEVICE_MODULES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/device/device.h"
#include "emulator/exec/flatten.h"
#include "emulator/memory/global_memory.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// A kernel of a loaded module.
struct LoadedKernel {
  KernelInfo info;
  const ptx::Function* function = nullptr;
  struct LoadedModule* module = nullptr;
  std::unique_ptr<Program> program;  ///< Decoded when it is first launched.
};

/// A module with its variables in device memory.
struct LoadedModule {
  ptx::Module ptx;
  std::map<std::string, DeviceVariable, std::less<>> variables;
  std::map<std::string, std::uint64_t, std::less<>> functions;  ///< What their addresses look like.
  std::uint64_t constant_bytes = 0;
};

/// The modules that a program has loaded. Errors are cudaError_t numbers: 218 invalid PTX, 98
/// unknown kernel, 13 unknown variable, 801 not supported.
class Modules {
 public:
  explicit Modules(GlobalMemory& memory) : memory_(memory) {}

  DeviceResult<ModuleId> Load(std::string_view text, std::span<const MachineCode> machine_code);
  DeviceStatus Unload(ModuleId module);
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name);
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) const;

  /// Null for an unknown id, or of a module that was unloaded.
  [[nodiscard]] LoadedKernel* Kernel(KernelId id);
  /// Decodes the kernel the first time.
  DeviceResult<const Program*> ProgramOf(LoadedKernel& kernel, const DeviceOptions& options);

 private:
  DeviceStatus PlaceVariables(LoadedModule& module);
  DeviceStatus FillVariables(LoadedModule& module);
  void AddKernels(LoadedModule& module, std::span<const MachineCode> machine_code);

  GlobalMemory& memory_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;  // Null: unloaded.
  std::vector<std::unique_ptr<LoadedKernel>> kernels_;
};

[[nodiscard]] ModuleAddresses AddressesOf(const LoadedModule& module);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_MODULES_H_

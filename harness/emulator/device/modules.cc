// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "emulator/core/warp.h"
#include "emulator/exec/decoder.h"
#include "emulator/ptx/parser.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

// What an address of a function looks like: nothing that memory has.
constexpr std::uint64_t kFunctionWindow = std::uint64_t{4} << kWindowShift;

std::unexpected<DeviceError> Fail(int code, std::string detail) {
  return std::unexpected(DeviceError{code, std::move(detail)});
}

}  // namespace

ModuleAddresses AddressesOf(const LoadedModule& module) {
  return {.variable = [&module](std::string_view name) -> std::optional<std::uint64_t> {
            const auto found = module.variables.find(name);
            return found == module.variables.end() ? std::nullopt
                                                   : std::optional(found->second.address);
          },
          .function = [&module](std::string_view name) -> std::optional<std::uint64_t> {
            const auto found = module.functions.find(name);
            return found == module.functions.end() ? std::nullopt : std::optional(found->second);
          }};
}

DeviceResult<ModuleId> Modules::Load(std::string_view text,
                                     std::span<const MachineCode> machine_code) {
  auto parsed = ptx::Parse(text, "PTX");
  if (!parsed) {
    return Fail(cuda_error::kInvalidPtx, ToString(parsed.error()));
  }
  auto module = std::make_unique<LoadedModule>();
  module->ptx = std::move(*parsed);
  for (std::size_t i = 0; i < module->ptx.functions.size(); ++i) {
    module->functions.try_emplace(
        module->ptx.functions[i].name,
        kFunctionWindow | (std::uint64_t{modules_.size()} << 32) | (i + 1) << 4);
  }
  if (auto placed = PlaceVariables(*module); !placed) {
    return std::unexpected(std::move(placed.error()));
  }
  if (auto filled = FillVariables(*module); !filled) {
    return std::unexpected(std::move(filled.error()));
  }
  AddKernels(*module, machine_code);
  modules_.push_back(std::move(module));
  return static_cast<ModuleId>(modules_.size() - 1);
}

DeviceStatus Modules::PlaceVariables(LoadedModule& module) {
  for (const ptx::Variable& variable : module.ptx.variables) {
    const bool constant = variable.space == ptx::Space::kConst;
    if ((!constant && variable.space != ptx::Space::kGlobal) ||
        module.variables.contains(variable.name)) {
      continue;
    }
    const std::uint64_t size = std::max<std::uint64_t>(variable.size_bytes, 1);
    auto address = memory_.AllocateVariable(
        variable.name, size, constant ? Allocation::Writable::kNo : Allocation::Writable::kYes);
    if (!address) {
      return std::unexpected(std::move(address.error()));
    }
    module.variables[variable.name] = {*address, size};
    module.constant_bytes += constant ? size : 0;
  }
  return {};
}

DeviceStatus Modules::FillVariables(LoadedModule& module) {
  const ModuleAddresses addresses = AddressesOf(module);
  for (const ptx::Variable& variable : module.ptx.variables) {
    const auto place = module.variables.find(variable.name);
    if (place == module.variables.end() ||
        (variable.initial.empty() && variable.addresses.empty())) {
      continue;
    }
    std::vector<std::byte> bytes(place->second.size_bytes);
    std::memcpy(bytes.data(), variable.initial.data(),
                std::min(bytes.size(), variable.initial.size()));
    for (const ptx::InitialAddress& initial : variable.addresses) {
      auto address = addresses.variable(initial.symbol);
      address = address ? address : addresses.function(initial.symbol);
      if (!address || bytes.size() < 8 || initial.offset_bytes > bytes.size() - 8) {
        return Fail(cuda_error::kInvalidPtx,
                    fmt::format("the initialiser of {} names {}, which is not there", variable.name,
                                initial.symbol));
      }
      const std::uint64_t value = *address + static_cast<std::uint64_t>(initial.addend);
      std::memcpy(bytes.data() + initial.offset_bytes, &value, sizeof value);
    }
    if (auto copied = memory_.CopyToDevice(place->second.address, bytes); !copied) {
      return copied;
    }
  }
  return {};
}

void Modules::AddKernels(LoadedModule& module, std::span<const MachineCode> machine_code) {
  for (const ptx::Function& function : module.ptx.functions) {
    if (!function.is_entry) {
      continue;
    }
    auto kernel = std::make_unique<LoadedKernel>();
    kernel->function = &function;
    kernel->module = &module;
    KernelInfo& info = kernel->info;
    info.id = static_cast<KernelId>(kernels_.size());
    info.name = function.name;
    info.parameter_offsets = ParameterOffsets(function);
    info.parameter_bytes = info.parameter_offsets.back();
    info.parameter_offsets.pop_back();
    for (const ptx::Variable& parameter : function.parameters) {
      info.parameter_sizes.push_back(static_cast<std::uint32_t>(parameter.size_bytes));
    }
    info.resources.constant_bytes = module.constant_bytes;
    info.resources.max_threads_per_block = std::min(function.max_threads.value_or(1024), 1024U);
    // What takes decoding to know exactly is known here when the kernel calls nothing.
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::kShared) {
        info.resources.static_shared_bytes += variable.size_bytes;
      } else if (variable.space == ptx::Space::kLocal) {
        info.resources.local_bytes += variable.size_bytes;
      }
    }
    const auto code = std::ranges::find(machine_code, function.name, &MachineCode::kernel);
    if (code != machine_code.end()) {
      info.resources.registers_per_thread = code->registers;
      // PTX knows nothing of registers that ptxas spilled.
      info.resources.local_bytes =
          std::max<std::uint64_t>(info.resources.local_bytes, code->local_bytes);
    }
    kernels_.push_back(std::move(kernel));
  }
}

DeviceStatus Modules::Unload(ModuleId module) {
  if (module >= modules_.size() || modules_[module] == nullptr) {
    return Fail(cuda_error::kInvalidResourceHandle, "no such module");
  }
  for (const auto& [name, variable] : modules_[module]->variables) {
    if (auto freed = memory_.Free(variable.address); !freed) {
      return freed;
    }
  }
  for (auto& kernel : kernels_) {
    if (kernel != nullptr && kernel->module == modules_[module].get()) {
      kernel.reset();
    }
  }
  modules_[module].reset();
  return {};
}

DeviceResult<KernelInfo> Modules::FindKernel(ModuleId module, std::string_view name) {
  if (module < modules_.size() && modules_[module] != nullptr) {
    for (const auto& kernel : kernels_) {
      if (kernel != nullptr && kernel->module == modules_[module].get() &&
          kernel->info.name == name) {
        return kernel->info;
      }
    }
  }
  return Fail(cuda_error::kInvalidDeviceFunction,
              fmt::format("no kernel {} in the module's PTX", name));
}

DeviceResult<DeviceVariable> Modules::FindVariable(ModuleId module, std::string_view name) const {
  if (module < modules_.size() && modules_[module] != nullptr) {
    const auto found = modules_[module]->variables.find(name);
    if (found != modules_[module]->variables.end()) {
      return found->second;
    }
  }
  return Fail(cuda_error::kInvalidSymbol, fmt::format("no variable {} in the module's PTX", name));
}

LoadedKernel* Modules::Kernel(KernelId id) {
  return id < kernels_.size() ? kernels_[id].get() : nullptr;
}

DeviceResult<const Program*> Modules::ProgramOf(LoadedKernel& kernel,
                                                const DeviceOptions& options) {
  if (kernel.program == nullptr) {
    auto program = Decode(
        kernel.module->ptx, *kernel.function, AddressesOf(*kernel.module),
        options.schedule == Schedule::kRandom ? Preemption::kAtMemory : Preemption::kAtBranches);
    if (!program) {
      return Fail(cuda_error::kNotSupported, ToString(program.error()));
    }
    kernel.program = std::move(*program);
    kernel.info.resources.static_shared_bytes = kernel.program->static_shared_bytes;
    kernel.info.resources.local_bytes =
        std::max<std::uint64_t>(kernel.info.resources.local_bytes, kernel.program->local_bytes);
  }
  return kernel.program.get();
}

}  // namespace assay::gpu

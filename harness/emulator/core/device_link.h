// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_DEVICE_LINK_H_
#define ASSAY_EMULATOR_CORE_DEVICE_LINK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/device_error.h"
#include "emulator/core/work_stamp.h"
#include "emulator/model/gpu_model.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

using ModuleId = std::uint32_t;
using KernelId = std::uint32_t;

struct KernelInfo {
  KernelId id = 0;
  std::string name;                              ///< Mangled.
  std::vector<std::uint32_t> parameter_offsets;  ///< Bytes, in the parameter block.
  std::vector<std::uint32_t> parameter_sizes;    ///< Bytes.
  std::uint32_t parameter_bytes = 0;
  KernelResources resources;
};

/// What ptxas made of a kernel.
struct MachineCode {
  std::string kernel;             ///< Mangled.
  std::uint32_t registers = 0;    ///< Of a thread.
  std::uint32_t local_bytes = 0;  ///< Of a thread: its arrays, and registers that were spilled.
  bool operator==(const MachineCode&) const = default;
};

struct DeviceVariable {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};

struct LaunchRequest {
  KernelId kernel = 0;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
  /// cudaFuncAttributeMaxDynamicSharedMemorySize, as set for the kernel; 48 KiB without.
  std::uint64_t dynamic_shared_limit_bytes = std::uint64_t{48} * 1024;
  bool cooperative = false;
  std::vector<std::byte> parameters = {};  ///< KernelInfo::parameter_bytes.
};

struct LaunchOutcome {
  int error = 0;  ///< Of the launch itself (configuration), or of the kernel, sticky.
  bool sticky = false;
  std::string detail = {};
  double modelled_time_ns = 0;
};

struct MemoryInfo {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// A device as a CUDA runtime sees it. Two implementations: Device, in this process, and the
/// shim's, which sends each call over the wire to a Device on the trusted side. All work is done
/// when a call returns. Calls from several threads must be serialised by the caller.
class DeviceLink {
 public:
  virtual ~DeviceLink() = default;
  virtual const GpuModel& model() const = 0;

  /// `machine_code`: of the kernels for which SASS was at hand.
  virtual DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                            std::span<const MachineCode> machine_code) = 0;
  virtual DeviceStatus UnloadModule(ModuleId module) = 0;
  virtual DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) = 0;
  virtual DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) = 0;

  virtual DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) = 0;
  virtual DeviceStatus Free(std::uint64_t address) = 0;
  virtual DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) = 0;
  virtual DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) = 0;
  virtual DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                                    std::uint64_t size_bytes) = 0;
  /// `pattern` of 1, 2 or 4 bytes, repeated.
  virtual DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                            std::uint64_t count) = 0;
  /// The live allocation that holds `address` (base and size), or nothing.
  virtual std::optional<DeviceVariable> AllocationOf(std::uint64_t address) = 0;
  virtual MemoryInfo Memory() = 0;
  /// Puts whole pages of one allocation, with what they hold, at their device addresses in this
  /// process too, in the place of what is mapped there, until the allocation is freed. False: this
  /// device does not, and nothing has changed.
  virtual bool ShareWithHost(std::uint64_t /*address*/, std::uint64_t /*size_bytes*/) {
    return false;
  }
  virtual LaunchOutcome Launch(const LaunchRequest& request) = 0;

  /// Launches, copies and fills until EndWork are one piece of work, which is ordered so among
  /// others. A device that does not look for races between streams does not care.
  virtual void BeginWork(const WorkStamp& /*stamp*/) {}
  virtual void EndWork() {}
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_DEVICE_LINK_H_

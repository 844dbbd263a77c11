// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_DEVICE_DEVICE_H_
#define ASSAY_GPU_DEVICE_DEVICE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/device/work_stamp.h"
#include "emulator/model/gpu_model.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// How a device operation failed: a number of cudaError_t, and what a person needs.
struct DeviceError {
  int code = 0;  ///< cudaError_t's number (emulator/report/cuda_error.h).
  std::string detail;
};
template <class T>
using DeviceResult = std::expected<T, DeviceError>;
using DeviceStatus = DeviceResult<void>;

/// The order in which warps and blocks run, all of them legal on hardware.
enum class Schedule : std::uint8_t {
  kAscending,  ///< Warps and blocks from the lowest, each as far as it can go.
  kReversed,   ///< From the highest, within the blocks that are resident together.
  kRandom,     ///< Shuffled by the seed, preempted at random memory operations.
};
enum class Checking : std::uint8_t { kOff, kOn };
enum class Approximation : std::uint8_t {
  kRounded,    ///< ex2, rsqrt … as near to correctly rounded as f32 through f64 is.
  kPerturbed,  ///< Moved by the seed within the documented error.
};

/// How whoever started a program ends its kernels: from a signal handler, from any thread.
struct StopRequest {
  std::atomic<int> signal{0};  ///< Not 0: the launch that runs ends where it is, with error 702.
  std::atomic<bool> kernel_runs{false};  ///< Set by the device; cleared by who hears its reports.
};

struct DeviceOptions {
  GpuModel model = H100();
  Schedule schedule = Schedule::kAscending;
  std::uint64_t seed = 0;
  Checking checking = Checking::kOn;
  Approximation approximation = Approximation::kRounded;
  unsigned workers = 0;                  ///< Cores to run blocks on; 0: all of this machine.
  std::uint64_t memory_limit_bytes = 0;  ///< 0: the least of the GPU's memory and half of ours.
  std::uint64_t instruction_limit =
      100'000'000'000;  ///< Thread-instructions a launch: the watchdog.
  /// Where device printf goes; nothing: stdout.
  std::function<void(std::string_view)> print = {};
  StopRequest* stop = nullptr;  ///< Null: nobody asks.
};

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

  /// `image`: PTX text. `registers_per_thread` by mangled kernel name, where SASS was at hand.
  virtual DeviceResult<ModuleId> LoadModule(
      std::string_view ptx,
      std::span<const std::pair<std::string, std::uint32_t>> registers_per_thread) = 0;
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

/// The emulated GPU in this process.
class Device : public DeviceLink {
 public:
  /// Errors: no address space for its memory (2); built for vectors that this machine has not
  /// (100).
  [[nodiscard]] static DeviceResult<std::unique_ptr<Device>> Create(DeviceOptions options);

  /// Allocates at `address`, where a block of just that size was freed, as a caching allocator
  /// does; what the block held is gone. False: no such block is free, or its place is forgotten.
  virtual bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes) = 0;

  /// As CopyToDevice, but the bytes go on counting as what they were, uninitialised in fresh
  /// memory: a pattern that no kernel may read, and by which one knows what was never written.
  virtual DeviceStatus CopyAsUninitialized(std::uint64_t to, std::span<const std::byte> from) = 0;

  /// Called after each launch, and each host-side finding (with a report that has no kernel).
  virtual void OnReport(std::function<void(const LaunchReport&)> callback) = 0;
  /// What was never freed, as findings of kind kLeak; none once a launch has failed for good,
  /// since nothing can be freed after that.
  virtual std::vector<Finding> Leaks() = 0;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_DEVICE_DEVICE_H_

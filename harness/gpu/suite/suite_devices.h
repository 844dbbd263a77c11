// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_SUITE_DEVICES_H_
#define ASSAY_GPU_SUITE_SUITE_DEVICES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/device_provider.h"
#include "client/run_flags.h"
#include "emulator/device/device.h"
#include "gpu/server/emulated_gpu.h"
#include "gpu/suite/placed_call.h"

namespace assay::gpu {

/// The devices of one run of a suite: for each role of gpu_case.h its own emulated GPU, made anew
/// for each host that has that role. With --assay_device=cuda hosts have none, and reach hardware
/// themselves. Not thread-safe.
class SuiteDevices final : public DeviceProvider {
 public:
  /// What a host may allocate.
  static constexpr std::uint64_t kMemory_bytes = std::uint64_t{4} << 30;
  /// What a case may lend it beside that: address space, which is memory only where it is touched,
  /// so that rows may lie gigabytes apart.
  static constexpr std::uint64_t kLent_bytes = std::uint64_t{17} << 30;

  /// What the device of one role said since it was taken last, and the device while its host is
  /// there.
  struct RoleDevice {
    remote::DeviceRecord record;
    remote::EmulatedGpu* gpu = nullptr;
    PlacedCall::Places places;            ///< Of what it was lent.
    std::vector<std::string> told_lacks;  ///< By this host, in its life.
  };

  /// To be made before the process is pinned to fewer processors: launches use all it has now.
  explicit SuiteDevices(const RunFlags& flags);

  [[nodiscard]] RoleSetup SetupOf(std::string_view role) override;
  /// The roles whose hosts a case calls all.
  [[nodiscard]] std::span<const std::string_view> Schedules() const;
  [[nodiscard]] bool IsReal() const { return kind_ == DeviceKind::kCuda; }
  /// Of the role's living host; null for a role without a device, or before its host was started.
  [[nodiscard]] RoleDevice* Find(std::string_view role);

  /// GPU, schedule, seed and limits of that role's device.
  [[nodiscard]] DeviceOptions OptionsOf(std::string_view role) const;

 private:
  std::uint64_t seed_;
  std::uint64_t instruction_limit_;
  DeviceKind kind_;
  std::vector<int> processors_;
  std::map<std::string, RoleDevice, std::less<>> devices_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_SUITE_DEVICES_H_

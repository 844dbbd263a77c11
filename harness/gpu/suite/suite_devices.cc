// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/suite_devices.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cudart/link/messages.h"
#include "gpu/suite/roles.h"
#include "process/processors.h"

namespace assay::gpu {
namespace {

constexpr std::array<std::string_view, 3> kSchedules = {kAscendingRole, kReversedRole, kRandomRole};
constexpr std::array<std::string_view, 1> kHardware = {kCudaRole};

/// What a host may have its device do in one call: the longest launch takes seconds, and calls have
/// a few. Where hosts share the machine with other runs, more.
constexpr std::chrono::seconds kDeviceLimit(60);

bool IsDeviceRole(std::string_view role) {
  return role == kBaselineRole || std::ranges::find(kSchedules, role) != kSchedules.end();
}

/// Lets this thread, and those it starts, run on `processors`, until it ends.
class ProcessorScope {
 public:
  explicit ProcessorScope(const std::vector<int>& processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) {
      CPU_SET(static_cast<std::size_t>(processor), &set);
    }
    // Where it cannot be had, work is slower and no other.
    is_changed_ = sched_getaffinity(0, sizeof before_, &before_) == 0 &&
                  sched_setaffinity(0, sizeof set, &set) == 0;
  }
  ~ProcessorScope() {
    if (is_changed_) {
      sched_setaffinity(0, sizeof before_, &before_);
    }
  }
  ProcessorScope(const ProcessorScope&) = delete;
  ProcessorScope& operator=(const ProcessorScope&) = delete;

 private:
  cpu_set_t before_{};
  bool is_changed_ = false;
};

bool IsLaunch(std::span<const std::byte> request) {
  return static_cast<remote::Call>(remote::Reader(request).Number<std::uint32_t>()) ==
         remote::Call::kLaunch;
}

/// Forgets the device when its host is gone.
class OwnedGpu final : public DeviceService {
 public:
  OwnedGpu(std::unique_ptr<remote::EmulatedGpu> gpu, SuiteDevices::RoleDevice* role,
           const std::vector<int>* processors)
      : gpu_(std::move(gpu)), role_(role), processors_(processors) {
    role_->gpu = gpu_.get();
  }
  ~OwnedGpu() override {
    if (role_->gpu == gpu_.get()) {
      role_->gpu = nullptr;
    }
  }
  OwnedGpu(const OwnedGpu&) = delete;
  OwnedGpu& operator=(const OwnedGpu&) = delete;

  std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                         std::vector<std::byte>* reply) override {
    // The host's processor is idle while its device works.
    std::optional<ProcessorScope> scope;
    if (IsLaunch(request)) {
      scope.emplace(*processors_);
    }
    return gpu_->Serve(request, reply);
  }

 private:
  std::unique_ptr<remote::EmulatedGpu> gpu_;
  SuiteDevices::RoleDevice* role_;
  const std::vector<int>* processors_;
};

}  // namespace

SuiteDevices::SuiteDevices(const RunFlags& flags)
    : seed_(flags.seed),
      instruction_limit_(flags.device_instructions),
      kind_(flags.device),
      processors_(ProcessorsOfRun(flags)) {}

DeviceOptions SuiteDevices::OptionsOf(std::string_view role) const {
  DeviceOptions options{.model = A100(), .seed = MixSeed(seed_, role)};
  if (role == kReversedRole) {
    options.schedule = Schedule::kReversed;
  } else if (role == kRandomRole) {
    options.schedule = Schedule::kRandom;
    options.approximation = Approximation::kPerturbed;
  }
  options.instruction_limit = instruction_limit_;
  options.memory_limit_bytes = kMemory_bytes + kLent_bytes;
  options.workers = static_cast<unsigned>(processors_.size());
  return options;
}

RoleSetup SuiteDevices::SetupOf(std::string_view role) {
  RoleSetup setup{.device_limit = kDeviceLimit, .is_baseline = role == kBaselineRole};
  if (IsReal() || !IsDeviceRole(role)) {
    return setup;
  }
  setup.device = [this, name = std::string(role)]() -> Result<std::unique_ptr<DeviceService>> {
    RoleDevice& device = devices_[name];
    device.record = {};
    device.told_lacks.clear();
    device.places.clear();
    ASSAY_ASSIGN_OR_RETURN(
        auto gpu, remote::EmulatedGpu::Create(OptionsOf(name), &device.record, {}, kMemory_bytes));
    return std::make_unique<OwnedGpu>(std::move(gpu), &device, &processors_);
  };
  return setup;
}

std::span<const std::string_view> SuiteDevices::Schedules() const {
  if (IsReal()) {
    return kHardware;
  }
  return kSchedules;
}

SuiteDevices::RoleDevice* SuiteDevices::Find(std::string_view role) {
  const auto found = devices_.find(role);
  return found == devices_.end() || found->second.gpu == nullptr ? nullptr : &found->second;
}

}  // namespace assay::gpu

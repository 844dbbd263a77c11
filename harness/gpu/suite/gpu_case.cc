// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/gpu_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/add_once.h"
#include "client/run_context.h"
#include "evidence/derived.h"
#include "gpu/adapter/device_stream.h"
#include "gpu/suite/device_memory.h"
#include "gpu/suite/device_verdict.h"
#include "gpu/suite/suite_devices.h"

namespace assay::gpu {
namespace {

/// Of one call and of a run: what a submission launches without need fills no evidence.
constexpr std::size_t kMostLaunchesOfCall = 16;
constexpr std::size_t kMostLaunches = 512;

SuiteDevices& TheDevices() {
  auto* devices = dynamic_cast<SuiteDevices*>(RunContext::Current().devices());
  if (devices == nullptr) {
    std::fputs("a GpuCaseTest ran without devices: link assay::gpu_suite_main\n", stderr);
    std::abort();
  }
  return *devices;
}

SuiteEvidence& TheEvidence() { return RunContext::Current().results().run().suite; }

struct Observed {
  DeviceVerdict verdict;
  std::vector<LaunchReport> launches;
  remote::CopiedBytes copied;
};

/// What the role's device said since the last time, judged and, unless it is the baseline's, kept.
Observed Observe(std::string_view role) {
  SuiteDevices::RoleDevice* device = TheDevices().Find(role);
  if (device == nullptr) {
    return {};
  }
  remote::DeviceRecord record = std::exchange(device->record, {});
  Observed observed{.verdict = JudgeRecord(record),
                    .launches = std::move(record.reports),
                    .copied = record.copied};
  for (std::string& lack : observed.verdict.told_lacks) {
    AddOnce(device->told_lacks, std::move(lack));
  }
  // Reports without a kernel are of calls from the host's side.
  std::erase_if(observed.launches,
                [](const LaunchReport& launch) { return launch.kernel.empty(); });
  if (role != kBaselineRole) {
    for (const DeviceFinding& finding : observed.verdict.findings) {
      AddOnce(TheEvidence().device_findings, finding);
    }
    for (const std::string& lack : observed.verdict.lacks) {
      AddOnce(TheEvidence().device_lacks, lack);
    }
  }
  return observed;
}

std::unique_ptr<DeviceMemory> MemoryOf(std::string_view role, Host* host) {
  if (SuiteDevices::RoleDevice* device = TheDevices().Find(role)) {
    return std::make_unique<EmulatedMemory>(&device->gpu->device());
  }
  return TheDevices().IsReal() ? std::make_unique<HostMemory>(host) : nullptr;
}

/// Why a call that gave a status that is not right did so, as far as it is seen from here.
HostFailure ExplainStatus(std::string_view role, const DeviceInvocation& call, int status,
                          std::span<const int> statuses, const DeviceVerdict& verdict) {
  const SuiteDevices::RoleDevice* device = TheDevices().Find(role);
  if (device != nullptr && !device->told_lacks.empty()) {
    const std::string& lack = device->told_lacks.front();
    AddOnce(TheEvidence().device_lacks, lack);
    return {Verdict::kSkipped, "the emulated GPU lacks what it needs: " + lack};
  }
  const std::string why =
      verdict.refusals.empty() ? "" : fmt::format(" (its device: {})", verdict.refusals.front());
  if (!verdict.had_memory) {
    return {Verdict::kMemoryLimit,
            fmt::format("the device's memory is full in {}, which returned {}{}", call.operation(),
                        status, why)};
  }
  if (status == kStreamFailed) {
    return {Verdict::kRuntimeError,
            fmt::format("the stream of {} did not synchronise{}", call.operation(), why)};
  }
  return {Verdict::kWrongAnswer, fmt::format("{} returned {} instead of {}{}", call.operation(),
                                             status, fmt::join(statuses, " or "), why)};
}

HostFailure LateCopyFailed(const DeviceInvocation& call, int status) {
  return {Verdict::kRuntimeError, fmt::format("the stream took no copy before {}: CUDA error {}",
                                              call.operation(), status)};
}

}  // namespace

void GpuCaseTest::TearDown() {
  if (worked_on_device_ && RunContext::Current().results().IsRightSoFar()) {
    MetricAdd(std::string(kDeviceCasesRight), 1);
  }
  CaseTest::TearDown();
}

std::span<const std::string_view> GpuCaseTest::Schedules() { return TheDevices().Schedules(); }

bool GpuCaseTest::HasBaseline() { return !RunContext::Current().flags().baseline.empty(); }

bool GpuCaseTest::OnRealGpu() { return TheDevices().IsReal(); }

DeviceReply GpuCaseTest::CallOnDevice(std::string_view role, const DeviceInvocation& call) {
  return Run(role, call, std::nullopt);
}

DeviceReply GpuCaseTest::CallOnDeviceExpecting(int status, std::string_view role,
                                               const DeviceInvocation& call) {
  return Run(role, call, std::span(&status, 1));
}

DeviceReply GpuCaseTest::CallOnDeviceExpectingOneOf(std::initializer_list<int> statuses,
                                                    std::string_view role,
                                                    const DeviceInvocation& call) {
  return Run(role, call, std::span(statuses.begin(), statuses.size()));
}

std::uint64_t GpuCaseTest::DeviceBytes(std::string_view role) {
  BeforeHosts();
  if (const auto host = RunContext::Current().GetHost(role); !host) {
    FailCase(host.error());
  }
  const SuiteDevices::RoleDevice* device = TheDevices().Find(role);
  if (device == nullptr) {
    return 0;
  }
  const MemoryInfo memory = device->gpu->device().Memory();
  return memory.total_bytes - memory.free_bytes;
}

DeviceReply GpuCaseTest::Run(std::string_view role, const DeviceInvocation& call,
                             std::optional<std::span<const int>> statuses) {
  BeforeHosts();
  RunContext& context = RunContext::Current();
  const auto host = context.GetHost(role);
  if (!host) {
    FailCase(host.error());
  }
  const std::unique_ptr<DeviceMemory> memory = MemoryOf(role, *host);
  if (memory == nullptr) {
    FailCase(HostFailure{Verdict::kJudgeError,
                         fmt::format("the role {} has no device; use Schedules()", role)});
  }
  SuiteDevices::RoleDevice* device = TheDevices().Find(role);
  PlacedCall placed(memory.get(), &call, device == nullptr ? nullptr : &device->places, inputs_);
  auto reply = RunPlaced(role, placed, call, statuses);
  // Before anything that may end the host, and the device with it.
  const auto released = placed.Release();
  if (reply && !released) {
    reply = std::unexpected(released.error());
  }
  if (!reply) {
    // What went wrong on a device may stay there, like a fault, or the room that something took.
    RestartHost(role);
    const HostFailure failure = context.Blame(role, reply.error());
    if (failure.verdict == Verdict::kSkipped) {
      context.results().NoteSkipCause(SkipCause::kDeviceLacks);
    }
    FailCase(failure);
  }
  return *std::move(reply);
}

std::expected<DeviceReply, HostFailure> GpuCaseTest::RunPlaced(
    std::string_view role, PlacedCall& placed, const DeviceInvocation& call,
    std::optional<std::span<const int>> statuses) {
  RunContext& context = RunContext::Current();
  // From its start, or from a call that has no device arguments.
  const Observed before = Observe(role);
  if (before.verdict.failure) {
    return std::unexpected(*before.verdict.failure);
  }
  const auto poison = [&](std::span<std::byte> output) { context.Poison(output, random_poison()); };
  if (auto done = placed.Place(poison, random_poison()()); !done) {
    return std::unexpected(done.error());
  }
  for (const Invocation& copy : placed.ToLateCopies()) {
    if (auto given = context.Call(role, copy, random_poison()); !given || given->status != 0) {
      return std::unexpected(given ? LateCopyFailed(call, given->status) : given.error());
    }
  }
  const auto reply = context.Call(role, placed.ToInvocation(), random_poison());
  Observed observed = Observe(role);
  observed.copied.on_device -= std::min(observed.copied.on_device, placed.LateBytes());
  // Memory of its own may hold what an earlier call had, and be copied when it is asked for sizes.
  observed.copied.to_host += before.copied.to_host;
  if (reply && !observed.verdict.is_broken) {
    OnCall(role, {.reply = *reply, .launches = observed.launches, .copied = observed.copied});
  }
  const std::optional<HostFailure>& failure = observed.verdict.failure;
  // Where both failed, the device's is the cause, unless the host did what is graver.
  if (failure && (reply || failure->verdict >= reply.error().verdict)) {
    return std::unexpected(*failure);
  }
  if (!reply) {
    return std::unexpected(reply.error());
  }
  if (role != kBaselineRole) {
    last_operation_ = call.operation();
  }
  const bool has_launched = OnRealGpu() || !observed.launches.empty();
  worked_on_device_ |= role != kBaselineRole && reply->status == 0 && has_launched;
  const bool is_right = !statuses || std::ranges::find(*statuses, reply->status) != statuses->end();
  if (!is_right || reply->status == kStreamFailed) {
    return std::unexpected(ExplainStatus(
        role, call, reply->status, statuses.value_or(std::span<const int>()), observed.verdict));
  }
  const auto change = placed.Collect();
  if (!change) {
    return std::unexpected(change.error());
  }
  if (*change) {
    return std::unexpected(HostFailure{Verdict::kWrongAnswer, **change});
  }
  return DeviceReply{
      .reply = *reply, .launches = std::move(observed.launches), .copied = observed.copied};
}

void GpuCaseTest::ExpectWorkOfKernels(const KernelDuty& duty, const DeviceReply& reply) {
  const std::string fault = FaultOfWork(duty, reply.launches, reply.copied, CountersHere());
  if (!fault.empty()) {
    FailCase(fault);
  }
}

void GpuCaseTest::RecordLaunches(std::string_view label, std::span<const LaunchReport> launches) {
  std::vector<LaunchEvidence>& kept = TheEvidence().launches;
  for (const LaunchReport& launch :
       launches.first(std::min(launches.size(), kMostLaunchesOfCall))) {
    if (kept.size() < kMostLaunches) {
      kept.push_back(ToEvidence(label, A100().name, launch));
      kept.back().operation = last_operation_;
    }
  }
}

LaunchCounters Total(std::span<const LaunchReport> launches) {
  LaunchCounters total;
  for (const LaunchReport& launch : launches) {
    total += launch.counters;
  }
  return total;
}

}  // namespace assay::gpu

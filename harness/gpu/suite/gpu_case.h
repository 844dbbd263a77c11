// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_GPU_CASE_H_
#define ASSAY_GPU_SUITE_GPU_CASE_H_

#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/case.h"
#include "emulator/report/launch_report.h"
#include "gpu/server/host_view.h"
#include "gpu/suite/device_invocation.h"
#include "gpu/suite/kernel_work.h"
#include "gpu/suite/launch_evidence.h"
#include "gpu/suite/placed_call.h"
#include "gpu/suite/roles.h"

namespace assay::gpu {

/// What one call of a CUDA operation did.
struct DeviceReply {
  Reply reply;
  /// Its launches, in order; none on a real GPU.
  std::vector<LaunchReport> launches;
  /// What the call had copied beside its launches, and to the host since the call before it;
  /// nothing is known of it on a real GPU.
  remote::CopiedBytes copied;
};

/// The fixture of cases that call CUDA operations. On the emulated GPU each schedule has a host,
/// and a device, of its own: a case calls all of Schedules() and judges each alike.
///
/// A call ends the case as runtime_error at the first error that a checker (memcheck, racecheck,
/// initcheck, synccheck) finds, at a kernel that faults, and when the operation's stream does not
/// synchronise; as time_limit when a launch meets the instruction limit; as memory_limit when the
/// device had no memory left and the status is not the expected one; and as skipped, with a mark
/// on the whole run, when a kernel or the runtime needs what the emulated GPU lacks: a run so
/// marked is never accepted.
class GpuCaseTest : public CaseTest {
 protected:
  /// Counts the case in the metric kDeviceCasesRight (evidence/derived.h).
  void TearDown() override;

  /// Hosts whose devices run warps and blocks in ascending, reversed and seeded random order; the
  /// last also moves approximate instructions within their documented error. On a real GPU: one.
  [[nodiscard]] static std::span<const std::string_view> Schedules();
  static constexpr std::string_view kAscending = kAscendingRole;
  static constexpr std::string_view kReversed = kReversedRole;
  static constexpr std::string_view kRandom = kRandomRole;
  /// The host of the challenge's baseline (--assay_baseline), ascending: what traffic and modelled
  /// times are compared with.
  static constexpr std::string_view kBaseline = kBaselineRole;
  /// Whether there is one; without it a call of kBaseline is judge_error.
  [[nodiscard]] static bool HasBaseline();

  /// Places the invocation's device arguments in device memory (equal calls mostly at equal
  /// addresses, so that what is cached by address is wrong), calls, waits for the stream, reads
  /// the outputs back and frees. Outputs are uninitialised device memory of a random pattern
  /// before the call. An input that was written, or a byte beside a buffer, is a wrong answer and
  /// ends the case.
  DeviceReply CallOnDevice(std::string_view role, const DeviceInvocation& call);
  /// As CallOnDevice, and a status other than `status` is a wrong answer and ends the case.
  DeviceReply CallOnDeviceExpecting(int status, std::string_view role,
                                    const DeviceInvocation& call);
  /// The same where several statuses are right.
  DeviceReply CallOnDeviceExpectingOneOf(std::initializer_list<int> statuses, std::string_view role,
                                         const DeviceInvocation& call);

  /// From here on the inputs of this case's calls hold what they should only behind work that is
  /// still on the call's stream when its operation begins, and before are uninitialised. What is
  /// not ordered behind that stream, or takes a stream that is busy for one that failed, is seen.
  void InputsComeLate() { inputs_ = PlacedCall::Inputs::kComeOnStream; }

  /// Bytes of that role's device that its host has allocated and not freed, between calls; starts
  /// the host if need be. 0 on a real GPU, where that is not seen.
  [[nodiscard]] std::uint64_t DeviceBytes(std::string_view role);

  /// What each call did on the device, before its status and outputs are looked at, and where a
  /// checker's finding is about to end the case; not where a launch did not come to its end. For
  /// cases that count whatever the verdict is.
  virtual void OnCall(std::string_view /*role*/, const DeviceReply& /*reply*/) {}

  /// "Kernels do the work": ends the case as a wrong answer where those of this call cannot have
  /// (kernel_work.h). Before outputs are looked at, so that such an answer writes no metric.
  void ExpectWorkOfKernels(const KernelDuty& duty, const DeviceReply& reply);
  /// What it looks at.
  [[nodiscard]] static Counters CountersHere() {
    return OnRealGpu() ? Counters::kNone : Counters::kKept;
  }

  /// Keeps `launches` in the evidence under `label` (`softmax_topk_f32 64x32768 k=8`), for reports
  /// and `assay explain`: right behind the submission's call that made them, whose operation they
  /// are of.
  void RecordLaunches(std::string_view label, std::span<const LaunchReport> launches);

  /// Whether the suite runs on hardware (--assay_device=cuda): no counters, no findings.
  [[nodiscard]] static bool OnRealGpu();

  [[nodiscard]] std::string_view RoleOfOperations() const override { return Schedules().front(); }

 private:
  /// Without `statuses` any is right.
  DeviceReply Run(std::string_view role, const DeviceInvocation& call,
                  std::optional<std::span<const int>> statuses);
  std::expected<DeviceReply, HostFailure> RunPlaced(std::string_view role, PlacedCall& placed,
                                                    const DeviceInvocation& call,
                                                    std::optional<std::span<const int>> statuses);

  PlacedCall::Inputs inputs_ = PlacedCall::Inputs::kInPlace;
  std::string last_operation_;     ///< The submission's, that was called last.
  bool worked_on_device_ = false;  ///< A call of the submission's, which returned 0.
};

/// The sum of the launches' counters.
[[nodiscard]] LaunchCounters Total(std::span<const LaunchReport> launches);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_GPU_CASE_H_

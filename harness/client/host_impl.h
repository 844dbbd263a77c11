// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_HOST_IMPL_H_
#define ASSAY_CLIENT_HOST_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/device_service.h"
#include "client/exchange.h"
#include "client/frames.h"
#include "client/host.h"
#include "client/idle_watch.h"
#include "client/layout.h"
#include "client/service_watch.h"
#include "sandbox/sandboxed_process.h"
#include "wire/channel.h"
#include "wire/shared_memory.h"

namespace assay {

/// The conversation with one host: what Host and PreparedCall share. Its functions are in four
/// files: start.cc, host_impl.cc (what is asked of a host), host_requests.cc (what it asks for
/// meanwhile) and host_waiting.cc (waiting for it, and watching it).
class HostImpl {
 public:
  template <class T>
  using Outcome = std::expected<T, HostFailure>;

  [[nodiscard]] static Outcome<std::unique_ptr<HostImpl>> Start(const HostOptions& options);

  [[nodiscard]] const std::vector<OperationInfo>& operations() const { return operations_; }
  [[nodiscard]] bool alive() const { return !failure_.has_value(); }
  [[nodiscard]] std::string Output() const { return process_.Output(); }
  [[nodiscard]] std::int64_t PrivateBytes();
  [[nodiscard]] ArenaMemory memory() const {
    return {shared_.inputs.data(), shared_.outputs.data()};
  }

  /// The number of the invocation's operation, if the host has it with these parameters.
  [[nodiscard]] Outcome<std::uint32_t> Resolve(const Invocation& invocation) const;
  /// Has the host make exactly this layout accessible; nothing to do when it is the present one.
  [[nodiscard]] Outcome<void> Apply(const Layout& layout);
  /// The host stands still, all its threads, until the next message: what it is handed meanwhile it
  /// cannot begin to work on before our clock runs.
  void StandStill();
  /// Poison that no earlier call had.
  [[nodiscard]] Poison FreshPoison() { return Poison(NextRandom(&random_)); }

  /// What becomes of the host while its outputs are copied. Copying takes as long as some answers:
  /// one that was timed could reply before it is done, and write the rest ahead of us.
  enum class AfterReply { kGoesOn, kStandsStill };

  /// Calls what was laid out and copied in, and copies everything out.
  [[nodiscard]] Outcome<Reply> Call(const Invocation& invocation, const CallPlan& plan,
                                    const Poison& poison, const wire::CallFrame& frame,
                                    AfterReply after_reply);
  /// An empty call; how long it took.
  [[nodiscard]] Outcome<std::chrono::nanoseconds> Nop();
  [[nodiscard]] Outcome<void> CheckIdle();
  [[nodiscard]] Outcome<void> Stop();

 private:
  /// The longest interval between looks at a host that does not answer.
  static constexpr std::uint64_t kLongestSlice_ns = 10'000'000;
  /// Memory of the outputs arena beyond the present layout that is worth giving back.
  static constexpr std::uint64_t kKeptOutputs_bytes = std::uint64_t{64} << 20;

  /// How long each side spins. The host's is in control memory too, where it may change it.
  struct Spin {
    std::chrono::nanoseconds ours;
    std::chrono::nanoseconds hosts;
  };
  /// How long a call may take: until `end_ns` of wire::Now_ns.
  struct Deadline {
    std::uint64_t end_ns;
    std::chrono::nanoseconds limit;
  };

  /// All that a host shares with us.
  struct Memory {
    wire::SharedMemory control;
    wire::SharedMemory inputs;
    wire::SharedMemory outputs;
    std::optional<wire::SharedMemory> device;  ///< Of a host that has a device.
  };
  [[nodiscard]] static Result<Memory> Share(const HostOptions& options);
  [[nodiscard]] static SandboxRequest RequestFor(const HostOptions& options, const Memory& memory);

  HostImpl(const HostOptions& options, Memory memory, std::unique_ptr<DeviceService> device,
           SandboxedProcess process, const Spin& spin);

  [[nodiscard]] Outcome<void> Greet();
  [[nodiscard]] Deadline DeadlineFromNow(std::chrono::nanoseconds limit) const;
  /// Waits for a message and takes it into `incoming_`. `activity` for failures.
  [[nodiscard]] Outcome<void> Await(const Deadline& deadline, std::string_view activity);
  /// What is wrong with a host that does not answer, if anything.
  [[nodiscard]] std::optional<HostFailure> Watch(const Deadline& deadline,
                                                 std::string_view activity);
  /// Sends what was staged and waits: the time is in `elapsed_ns_`.
  [[nodiscard]] Outcome<void> Exchange(const Deadline& deadline, std::string_view activity);
  /// Serves upcalls and the device until the operation returns.
  [[nodiscard]] Outcome<void> AwaitReturn(const Invocation& invocation, const CallPlan& plan,
                                          Deadline deadline, std::string_view activity);
  [[nodiscard]] Outcome<void> ServeUpcall(const Invocation& invocation, const CallPlan& plan,
                                          std::string_view activity);
  /// What must end a host that keeps its device busy.
  [[nodiscard]] std::optional<HostFailure> WatchDeviceUse(const Deadline& deadline,
                                                          std::string_view activity);
  /// Answers a message to the device, and waits for the next message. Makes `deadline` later by
  /// the time it took.
  [[nodiscard]] Outcome<void> ServeDevice(Deadline* deadline, std::string_view activity);
  /// Stages the device's answer to the message that has come.
  [[nodiscard]] Outcome<void> AskDevice(std::string_view activity);
  /// Sends what was staged, and waits, as Exchange, but adds to `elapsed_ns_`.
  [[nodiscard]] Outcome<void> Resume(std::string_view activity, const Deadline& deadline);
  [[nodiscard]] Outcome<void> JudgeIdleness();
  void GoOn();  ///< After StandStill.
  /// Ends the host; its failure is what every further call returns.
  [[nodiscard]] std::unexpected<HostFailure> Fail(Verdict verdict, std::string detail);
  [[nodiscard]] std::unexpected<HostFailure> Fail(HostFailure failure);

  [[nodiscard]] std::span<const std::byte> incoming() const {
    return {incoming_.data(), incoming_bytes_};
  }
  [[nodiscard]] wire::FrameType incoming_type() const;
  [[nodiscard]] static std::chrono::nanoseconds Now();

  HostOptions options_;
  // Declared before the process: it must be gone before its memory is.
  Memory shared_;
  SandboxedProcess process_;
  wire::Channel channel_;
  IdleWatch idle_;
  std::uint64_t random_;
  std::vector<OperationInfo> operations_;
  std::vector<wire::Region> layout_;  ///< What the host has made accessible.
  std::uint64_t layout_outputs_bytes_ = 0;
  std::string last_operation_;
  bool stands_still_ = false;
  std::optional<HostFailure> failure_;

  std::vector<std::byte> incoming_;  ///< The last message, our private copy.
  std::size_t incoming_bytes_ = 0;
  std::uint64_t arrived_ns_ = 0;  ///< When it was seen.
  std::uint64_t elapsed_ns_ = 0;  ///< Of the present call so far, of the host alone.

  std::unique_ptr<DeviceService> device_;  ///< None: a host without one.
  std::vector<std::byte> device_request_;
  std::vector<std::byte> device_reply_;
  std::uint64_t device_ns_ = 0;          ///< Time in the device for the present call.
  std::uint64_t device_watched_ns_ = 0;  ///< When WatchDeviceUse looked at the process last.
  std::unique_ptr<ServiceWatch> service_watch_;  ///< None: not needed.
};

}  // namespace assay

#endif  // ASSAY_CLIENT_HOST_IMPL_H_

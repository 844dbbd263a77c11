// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_HOST_H_
#define ASSAY_CLIENT_HOST_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/device_service.h"
#include "client/invocation.h"
#include "evidence/verdict.h"
#include "sandbox/level.h"
#include "wire/protocol.h"

namespace assay {

/// How a host, or a call, failed: the verdict of the case, and one line for its reader that names
/// the operation: `killed by SIGSEGV (segmentation fault) in ln_backward_f32`. Verdict kJudgeError
/// is our own failure (the machine, the sandbox), never the submission's.
struct HostFailure {
  Verdict verdict;
  std::string detail;
};

struct HostOptions {
  std::filesystem::path executable{};
  SandboxLevel level = SandboxLevel::kFull;
  std::chrono::nanoseconds start_limit = std::chrono::seconds(20);  ///< From exec to first message.
  std::chrono::nanoseconds call_limit =
      std::chrono::seconds(10);  ///< Wall; upcalls and device not counted.
  std::int64_t memory_limit_bytes = std::int64_t{4} << 30;  ///< Private memory of all its threads.
  std::int64_t output_limit_bytes = std::int64_t{1} << 20;  ///< stdout and stderr together.
  int processes = 64;                                       ///< Threads.
  std::vector<int> processors{};  ///< Pin the host to these; empty: as we are.
  /// How long this side spins for a reply before it sleeps; a sleeper takes tens of microseconds
  /// to wake. Timings set it to the length of the calls that they time. Where this process and the
  /// host share one processor nobody spins.
  std::chrono::nanoseconds spin = std::chrono::microseconds(50);
  std::uint64_t seed = 0;  ///< Of the poison in outputs and slack; secret from the host.
  DeviceFactory device{};  ///< Makes the host's device; none: a host without one.
  /// How long the device may work for one call, in all; looked at after each message to it.
  std::chrono::nanoseconds device_limit = std::chrono::seconds(60);
};

/// An operation that the host says it has. Validated text, but still the host's word.
struct OperationInfo {
  std::string name;
  std::vector<wire::Parameter> parameters;
};

/// What came back. `elapsed` is our own time from just before the host could see the request to
/// just after we saw its answer, without the time spent in upcall handlers and in the device; the
/// empty round trip (MeasureRoundTrip) is in it, once and once more for each message to either.
struct Reply {
  int status = 0;
  std::chrono::nanoseconds elapsed{0};
  /// Of the empty call just before, which wakes the host. The inputs are there: a host that took
  /// longer for it than others do may have worked on them.
  std::chrono::nanoseconds empty_elapsed{0};
  std::chrono::nanoseconds device_elapsed{0};  ///< Our own time spent in its device.
};

struct RoundTrip {
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds p99{0};
};

class HostImpl;

/// A call that is laid out once and then repeated, for timing: several sets of buffers in turn, all
/// page faults taken beforehand on both sides, nothing but publish, compute and reply in the time.
///
///     auto prepared = host.Prepare(call, 3);
///     for (…) {
///       MakeFreshInputs(x);              // the memory that `call` refers to
///       prepared->Fill();                // into the next set; outputs poisoned
///       auto reply = prepared->Run();    // outputs are in the caller's memory again
///     }
///
/// Refers to the Host (which may be moved) and the Invocation (which may not). A host has room for
/// one layout: preparing or calling something else in between is allowed, and costs a new layout
/// in the next Fill.
class PreparedCall {
 public:
  /// Copies the invocation's inputs into the next set of buffers and poisons its outputs, while the
  /// host stands still.
  [[nodiscard]] std::expected<void, HostFailure> Fill();
  /// Calls with the set that Fill filled last, once for each Fill. The host stands still from its
  /// reply on.
  [[nodiscard]] std::expected<Reply, HostFailure> Run();

  PreparedCall(PreparedCall&&) noexcept;
  PreparedCall& operator=(PreparedCall&&) noexcept;
  ~PreparedCall();

 private:
  friend class Host;
  struct State;
  explicit PreparedCall(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A sandboxed process that runs a submission's code, as seen by the process that judges it.
///
/// Everything that arrives from the host is copied once and then checked. Whatever a host does, a
/// call ends: with a Reply, or with a HostFailure after which the host is dead and every further
/// call fails the same way. (A call that could not be made at all, because the host lacks the
/// operation or the invocation itself is at fault, leaves it alive.) Not thread-safe: one thread at
/// a time. The destructor kills the host with all it started and waits for that.
class Host {
 public:
  /// Starts the executable and waits for its table of operations.
  [[nodiscard]] static std::expected<Host, HostFailure> Start(const HostOptions& options);

  Host(Host&&) noexcept;
  Host& operator=(Host&&) noexcept;
  ~Host();

  [[nodiscard]] const std::vector<OperationInfo>& operations() const;
  [[nodiscard]] bool Has(std::string_view operation) const;
  /// False once a HostFailure has ended it.
  [[nodiscard]] bool alive() const;
  /// What the host wrote to stdout and stderr so far, within its limit. Untrusted text.
  [[nodiscard]] std::string Output() const;
  /// Memory that is its own, resident now: what it keeps between calls, seen from outside. The
  /// buffers of calls are not in it, and are emptied, so that nothing can be kept among them
  /// instead. 0 once it is dead.
  [[nodiscard]] std::int64_t PrivateBytes();

  /// Lays out the buffers, copies the inputs in, calls, copies outputs and saved tensors out, and
  /// checks the bytes around them. Fails with
  ///   kRuntimeError   the host died (with its signal, or what a sanitizer found), wrote before or
  ///                   after an output or a saved tensor, or lacks the operation
  ///   kTimeLimit, kMemoryLimit, kOutputLimit
  ///   kRejected       forbidden system call, malformed message, wrong types, or CPU time burnt
  ///                   between the reply before and this call, or use of a device it does not have
  ///   kJudgeError     our own failure
  [[nodiscard]] std::expected<Reply, HostFailure> Call(const Invocation& invocation);

  /// Lays out `sets` sets of buffers (at least 1) for calls that are timed; see PreparedCall.
  /// Loads and save limits are part of it; upcalls are not supported.
  [[nodiscard]] std::expected<PreparedCall, HostFailure> Prepare(const Invocation& invocation,
                                                                 int sets);

  /// Stops the host, all its threads, until the next message to it: it cannot work, nor take a
  /// processor from another host.
  void StandStill();

  /// Makes `count` empty calls; how long they took in all.
  [[nodiscard]] std::expected<std::chrono::nanoseconds, HostFailure> CallEmpty(int count);

  /// Median and 99th percentile of `samples` empty calls (at least 1), each with the same path
  /// through both processes as a prepared call.
  [[nodiscard]] std::expected<RoundTrip, HostFailure> MeasureRoundTrip(int samples);

  /// Waits (about 2 ms, more only if in doubt; up to 2 s for one that the machine gives no
  /// processor to) to see that the host is idle after its last reply.
  /// kRejected if it goes on working. At the end of a case, so that the right case takes the blame.
  [[nodiscard]] std::expected<void, HostFailure> CheckIdle();

  /// Asks the host to exit in order, so that its static destructors run, and says how that went:
  /// kRuntimeError if it died by a signal or with a status other than 0.
  [[nodiscard]] std::expected<void, HostFailure> Stop();

 private:
  explicit Host(std::unique_ptr<HostImpl> impl);
  std::unique_ptr<HostImpl> impl_;
};

/// `i32(u64, f32 const*, f64*, save, load)`: the parameters of an operation for a message.
[[nodiscard]] std::string Describe(std::span<const wire::Parameter> parameters);

}  // namespace assay

#endif  // ASSAY_CLIENT_HOST_H_

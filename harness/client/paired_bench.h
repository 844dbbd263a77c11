// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_PAIRED_BENCH_H_
#define ASSAY_CLIENT_PAIRED_BENCH_H_

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "client/invocation.h"

namespace assay {

enum class Side { kSubmission, kBaseline };

/// The hosts of one side, as a workload sees them. A HostFailure, or a status other than 0, ends
/// the pair: these calls then do not return (they throw what the runner catches). All hosts of both
/// sides are pinned to one processor, and the client to another.
class BenchHosts {
 public:
  virtual ~BenchHosts() = default;
  /// A call whose time does not count: a forward before a timed backward.
  virtual void Call(std::string_view role, const Invocation& invocation) = 0;
  /// A call whose time counts, net of the empty round trip. Each Workload::Run makes at least one;
  /// the times of several add up.
  virtual void CallTimed(std::string_view role, const Invocation& invocation) = 0;
};

/// One workload while it is measured. The runner makes one, takes a block of pairs from it and
/// destroys it, so that only one workload at a time holds memory.
///
/// A pair is MakeInput, Run of one side, Run of the other (in alternating order), Check.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Replaces the input of the pair by a fresh one: no call before has seen it. Not timed.
  virtual void MakeInput(std::mt19937_64& random) = 0;
  /// Runs the input on that side's hosts and keeps the outputs until Check.
  virtual void Run(Side side, BenchHosts& hosts) = 0;
  /// Compares the submission's outputs with the baseline's (client/compare.h): empty when every
  /// element is within its bound, else what is wrong. A wrong pair ends the workload.
  [[nodiscard]] virtual std::string Check() = 0;
};

/// What a challenge's bench.cc registers.
struct WorkloadDescription {
  std::string name;       ///< `backward_f32/4096x768`: unique, no spaces.
  std::string operation;  ///< Timed entry point; a host without it skips the workload.
  /// Status by which a submission may honestly decline: the workload is then skipped. Every other
  /// status but 0 is a wrong answer.
  std::optional<int> unsupported_status = {};
  /// Tags of the suite's cases about what is timed here, where the operation alone does not say it:
  /// a way of storage, say. Who answers the operation in an accepted case that has them all, and
  /// declines when it is timed, fails in the rows of this workload.
  std::vector<std::string> shown_by = {};
  /// Bytes that any implementation has to move: the roofline floor and the share of bandwidth.
  double least_bytes = 0;
  std::function<std::unique_ptr<Workload>()> make;
};

/// For namespace scope in bench.cc: `const bool registered = RegisterWorkload({…});`. A name given
/// twice, or an empty `make`, is a fault of the bench: the run ends as judge_error.
bool RegisterWorkload(WorkloadDescription description);

/// All that were registered, in that order. The error is of kind kJudge and names the workload.
[[nodiscard]] Result<std::vector<WorkloadDescription>> RegisteredWorkloads();

}  // namespace assay

#endif  // ASSAY_CLIENT_PAIRED_BENCH_H_

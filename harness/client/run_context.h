// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_RUN_CONTEXT_H_
#define ASSAY_CLIENT_RUN_CONTEXT_H_

#include <cstddef>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/device_provider.h"
#include "client/host_pool.h"
#include "client/results.h"
#include "client/run_flags.h"

namespace assay {

/// One run of a suite: its hosts and what its cases say. GoogleTest makes the fixtures itself and
/// hands them nothing, so the one context of the process is found through Current. Not thread-safe.
class RunContext {
 public:
  /// `devices` gives hosts their devices, and outlives this; null: no host has one.
  explicit RunContext(RunFlags flags, DeviceProvider* devices = nullptr);
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  /// The context that lives now. Ends the process when there is none: a fixture of a suite outside
  /// of SuiteMain.
  static RunContext& Current();

  void BeginCase(const std::string& name);
  /// Looks whether the hosts that the case used are idle, and ends the case.
  const CaseEvidence& EndCase(double seconds);
  /// The case is about to ask a host. Why it must not: skipped, if cases were not run any more when
  /// it began; its time limit, if hosts took longer than they may in a run. Either way the case was
  /// given up.
  [[nodiscard]] std::expected<void, HostFailure> EnterHosts();
  /// A graded host has no operation that the case asked it for.
  void SawMissingOperation(std::string_view role);
  /// Why a case that ends now as skipped does: by the last that a graded host said in it. An
  /// operation that is not there is not offered, a status other than 0 a refusal; what is skipped
  /// behind an answer of 0 is a capability that the answer does not report, and what is skipped
  /// before anything is asked is not asked here.
  [[nodiscard]] SkipCause WhySkipped() const { return last_said_; }
  /// Whether the case did so already.
  [[nodiscard]] bool EnteredHosts() const { return entered_hosts_; }

  /// The host of that role, the same until it dies or is restarted.
  [[nodiscard]] std::expected<Host*, HostFailure> GetHost(std::string_view role);
  /// Calls with outputs poisoned by us, so that PoisonOf can tell what was never written.
  [[nodiscard]] std::expected<Reply, HostFailure> Call(std::string_view role,
                                                       const Invocation& invocation,
                                                       std::mt19937_64& random);
  void RestartHost(std::string_view role);
  /// Until the case ends that role's host, in a process of its own, is pinned to no processor.
  void UseAllProcessors(std::string_view role);
  /// What a provider knows of that role; an ordinary host's without one.
  [[nodiscard]] RoleSetup SetupOf(std::string_view role) const;

  /// The failure as it counts: that of a baseline's host is ours.
  [[nodiscard]] HostFailure Blame(std::string_view role, HostFailure failure) const;
  /// Fills an output that does not travel with the call with fresh random bytes, for PoisonOf.
  void Poison(std::span<std::byte> memory, std::mt19937_64& random);
  /// What the memory at `data` held before the case's last call that had it as an output; empty
  /// when there was none of that size.
  [[nodiscard]] std::span<const std::byte> PoisonOf(std::span<const std::byte> data) const;

  Results& results() { return results_; }
  [[nodiscard]] DeviceProvider* devices() const { return devices_; }
  [[nodiscard]] const RunFlags& flags() const { return flags_; }

 private:
  [[nodiscard]] std::optional<GiveUp> ReasonToSkip() const;
  Invocation Poisoned(const Invocation& invocation, std::mt19937_64& random);
  void AdjustForRole(std::string_view role, HostOptions* options) const;
  void Remember(std::span<const std::byte> memory);
  void Forget(std::string_view role);
  void RecordFindings(const Host& host);
  /// What `step` returns; what it took counts as time of graded hosts, unless the role's is ours.
  template <class Step>
  auto Timed(std::string_view role, Step step);

  RunFlags flags_;
  DeviceProvider* devices_;
  Results results_;
  HostPool hosts_;
  GiveUpRule give_up_;
  std::optional<GiveUp> not_run_;  ///< Why the case that began last is not run.
  bool entered_hosts_ = false;     ///< … has asked a host.
  SkipCause last_said_ = SkipCause::kNotAsked;
  std::set<std::string, std::less<>> unpinned_;  ///< Roles whose hosts may use all processors.
  std::set<std::string, std::less<>> used_;  ///< Roles called in this case whose host still lives.
  std::map<const std::byte*, std::vector<std::byte>> poison_;  ///< By the output's address.
};

}  // namespace assay

#endif  // ASSAY_CLIENT_RUN_CONTEXT_H_

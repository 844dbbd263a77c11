// SPDX-License-Identifier: Apache-2.0
#include "client/run_context.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "wire/protocol.h"

namespace assay {
namespace {

RunContext*& CurrentContext() {
  static RunContext* current = nullptr;
  return current;
}

void FillRandom(std::span<std::byte> bytes, std::mt19937_64& random) {
  while (!bytes.empty()) {
    const std::uint64_t word = random();
    const std::size_t size = std::min(bytes.size(), sizeof word);
    std::memcpy(bytes.data(), &word, size);
    bytes = bytes.subspan(size);
  }
}

// The harness's own: no entry point of what a host hosts.
bool IsOfHarness(std::string_view operation) { return operation.starts_with("assay_"); }

std::vector<std::string> OperationNames(const Host& host) {
  std::vector<std::string> names;
  for (const OperationInfo& operation : host.operations()) {
    if (!IsOfHarness(operation.name)) {
      names.push_back(operation.name);
    }
  }
  return names;
}

}  // namespace

RunContext::RunContext(RunFlags flags, DeviceProvider* devices)
    : flags_(std::move(flags)),
      devices_(devices),
      hosts_(HostOptionsFor(flags_, flags_.host, "submission"),
             [this](std::string_view role, HostOptions* options) { AdjustForRole(role, options); }),
      give_up_(flags_.run_limit) {
  CurrentContext() = this;
}

RunContext::~RunContext() { CurrentContext() = nullptr; }

RunContext& RunContext::Current() {
  if (CurrentContext() == nullptr) {
    std::fputs("a CaseTest ran outside of SuiteMain: link assay::suite_main\n", stderr);
    std::abort();
  }
  return *CurrentContext();
}

void RunContext::BeginCase(const std::string& name) {
  used_.clear();
  poison_.clear();
  results_.BeginCase(name);
  not_run_ = ReasonToSkip();
  entered_hosts_ = false;
  last_said_ = SkipCause::kNotAsked;
}

std::expected<void, HostFailure> RunContext::EnterHosts() {
  entered_hosts_ = true;
  const std::optional<GiveUp> why = not_run_ ? not_run_ : give_up_.ReasonToStop();
  if (!why) {
    return {};
  }
  results_.NoteGivenUp(why->cause);
  return std::unexpected(
      HostFailure{not_run_ ? Verdict::kSkipped : Verdict::kTimeLimit, why->reason});
}

template <class Step>
auto RunContext::Timed(std::string_view role, Step step) {
  const auto start = std::chrono::steady_clock::now();
  auto result = step();
  if (!SetupOf(role).is_baseline) {
    give_up_.SawHostTime(std::chrono::steady_clock::now() - start);
  }
  return result;
}

const CaseEvidence& RunContext::EndCase(double seconds) {
  for (const std::string& role : std::exchange(used_, {})) {
    const auto host = hosts_.Get(role);
    if (!host) {
      continue;
    }
    if (const auto idle = (*host)->CheckIdle(); !idle) {
      const HostFailure failure = Blame(role, idle.error());
      results_.Note(failure.verdict, failure.detail);
    }
  }
  for (const std::string& role : std::exchange(unpinned_, {})) {
    hosts_.Restart(role);
  }
  const CaseEvidence& ended = results_.EndCase(seconds);
  give_up_.SawCase(ended.verdict);
  return ended;
}

std::optional<GiveUp> RunContext::ReasonToSkip() const {
  if (!results_.run().judge_error.empty()) {
    return GiveUp{GiveUpCause::kJudge, "not run after a failure of the judge"};
  }
  return give_up_.Reason();
}

std::expected<Host*, HostFailure> RunContext::GetHost(std::string_view role) {
  const bool is_baseline = SetupOf(role).is_baseline;
  if (is_baseline && flags_.baseline.empty()) {
    return std::unexpected(HostFailure{
        Verdict::kJudgeError, "a case needs the baseline: give its host as --assay_baseline"});
  }
  auto host = Timed(role, [&] { return hosts_.Get(role); });
  if (is_baseline) {
    return host ? std::move(host) : std::unexpected(Blame(role, host.error()));
  }
  if (!host) {
    give_up_.SawStart(host.error().verdict);
    return host;
  }
  give_up_.SawStart(std::nullopt);
  if (results_.run().entry_points.empty()) {
    results_.run().entry_points = OperationNames(**host);
  }
  return host;
}

std::expected<Reply, HostFailure> RunContext::Call(std::string_view role,
                                                   const Invocation& invocation,
                                                   std::mt19937_64& random) {
  auto host = GetHost(role);
  if (!host) {
    return std::unexpected(std::move(host).error());
  }
  const bool is_asked = !SetupOf(role).is_baseline && !IsOfHarness(invocation.operation());
  if (is_asked) {
    results_.NoteAsked(invocation.operation());
  }
  const Invocation poisoned = Poisoned(invocation, random);
  auto reply = Timed(role, [&] { return (*host)->Call(poisoned); });
  if (reply) {
    used_.emplace(role);
  } else {
    Forget(role);
    if (!SetupOf(role).is_baseline) {
      RecordFindings(**host);
    }
    return std::unexpected(Blame(role, std::move(reply).error()));
  }
  if (is_asked) {
    last_said_ = reply->status == 0 ? SkipCause::kNotReported : SkipCause::kRefused;
    if (reply->status == 0) {
      results_.NoteAnswered(invocation.operation());
    }
  }
  return reply;
}

void RunContext::SawMissingOperation(std::string_view role) {
  if (!SetupOf(role).is_baseline) {
    last_said_ = SkipCause::kNotOffered;
  }
}

Invocation RunContext::Poisoned(const Invocation& invocation, std::mt19937_64& random) {
  for (const Invocation::Argument& argument : invocation.arguments()) {
    if (argument.destination == nullptr || argument.size_bytes == 0) {
      continue;
    }
    const std::span<std::byte> memory(argument.destination, argument.size_bytes);
    if (argument.source == nullptr) {
      FillRandom(memory, random);
    }
    Remember(memory);
  }
  Invocation sent = invocation;
  sent.SendOutputs();
  return sent;
}

void RunContext::Poison(std::span<std::byte> memory, std::mt19937_64& random) {
  if (!memory.empty()) {
    FillRandom(memory, random);
    Remember(memory);
  }
}

void RunContext::Remember(std::span<const std::byte> memory) {
  poison_[memory.data()].assign(memory.begin(), memory.end());
}

RoleSetup RunContext::SetupOf(std::string_view role) const {
  return devices_ == nullptr ? RoleSetup{} : devices_->SetupOf(role);
}

void RunContext::AdjustForRole(std::string_view role, HostOptions* options) const {
  RoleSetup setup = SetupOf(role);
  options->device = std::move(setup.device);
  options->device_limit = setup.device_limit;
  if (setup.is_baseline) {
    options->executable = flags_.baseline;
  }
  if (unpinned_.contains(role)) {
    options->processors = flags_.all_processors;
  }
}

HostFailure RunContext::Blame(std::string_view role, HostFailure failure) const {
  if (!SetupOf(role).is_baseline) {
    return failure;
  }
  return {Verdict::kJudgeError, "the baseline: " + failure.detail};
}

void RunContext::RestartHost(std::string_view role) {
  Forget(role);
  hosts_.Restart(role);
}

void RunContext::UseAllProcessors(std::string_view role) {
  unpinned_.emplace(role);
  RestartHost(role);
}

void RunContext::Forget(std::string_view role) {
  if (const auto at = used_.find(role); at != used_.end()) {
    used_.erase(at);
  }
}

void RunContext::RecordFindings(const Host& host) {
  if (!flags_.sanitized) {
    return;
  }
  std::vector<std::string>& findings = results_.run().sanitizer_findings;
  for (std::string& finding : SanitizerFindings(host.Output())) {
    if (std::ranges::find(findings, finding) == findings.end()) {
      findings.push_back(std::move(finding));
    }
  }
}

std::span<const std::byte> RunContext::PoisonOf(std::span<const std::byte> data) const {
  const auto at = poison_.find(data.data());
  if (at == poison_.end() || at->second.size() != data.size()) {
    return {};
  }
  return at->second;
}

}  // namespace assay

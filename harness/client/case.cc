// SPDX-License-Identifier: Apache-2.0
#include "client/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "client/run_context.h"

namespace assay {
namespace {

Results& TheResults() { return RunContext::Current().results(); }

/// Leaves the body of a case whose fate has been noted. GoogleTest takes this exception for one of
/// a failure that was reported already, and adds none.
class CaseEnded : public testing::AssertionException {
 public:
  CaseEnded()
      : AssertionException(testing::TestPartResult(testing::TestPartResult::kSuccess, __FILE__,
                                                   __LINE__, "the case ended early")) {}
};

std::string FullName() {
  const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", info.test_suite_name(), info.name());
}

std::vector<std::pair<std::string, RunResults::Question>>& Questions() {
  static std::vector<std::pair<std::string, RunResults::Question>> questions;
  return questions;
}

void UpdateMetric(const std::string& name, double value, MetricRule rule) {
  RunResults& run = TheResults().run();
  run.metric_rules[name] = rule;
  const auto [at, is_new] = run.suite.metrics.try_emplace(name, value);
  if (!is_new) {
    at->second = Combined(rule, at->second, value);
  }
}

}  // namespace

CaseTest::CaseTest()
    : seed_(MixSeed(RunContext::Current().flags().seed, FullName())),
      random_(seed_),
      random_poison_(MixSeed(seed_, "poison")) {}

void CaseTest::BeforeHosts() {
  if (const auto entered = RunContext::Current().EnterHosts(); !entered) {
    EndCase(entered.error().verdict, entered.error().detail);
  }
}

void CaseTest::RequireNoHostYet(std::string_view what) {
  if (RunContext::Current().EnteredHosts()) {
    EndCase(Verdict::kJudgeError,
            fmt::format("the suite calls {} behind the case's first word to a host", what));
  }
}

void CaseTest::EndCase() {
  // After a SetUp that ended the case GoogleTest would go on to its body: only a failure of its own
  // or a skip keeps it from that.
  [] { GTEST_SKIP(); }();
  throw CaseEnded();
}

void CaseTest::EndCase(Verdict verdict, std::string_view detail) {
  TheResults().Note(verdict, detail);
  EndCase();
}

void CaseTest::Tag(std::initializer_list<std::string_view> tags) {
  RequireNoHostYet("Tag");
  for (const std::string_view tag : tags) {
    TheResults().Tag(tag);
  }
}

void CaseTest::DoesNotGate() {
  RequireNoHostYet("DoesNotGate");
  TheResults().DoesNotGate();
}

Reply CaseTest::Call(std::string_view role, const Invocation& invocation) {
  auto reply = TryCall(role, invocation);
  if (!reply) {
    EndCase(reply.error().verdict, reply.error().detail);
  }
  return *reply;
}

Reply CaseTest::CallExpecting(int status, std::string_view role, const Invocation& invocation) {
  const Reply reply = Call(role, invocation);
  if (reply.status != status) {
    FailCase(
        fmt::format("{} returned {} instead of {}", invocation.operation(), reply.status, status));
  }
  return reply;
}

std::expected<Reply, HostFailure> CaseTest::TryCall(std::string_view role,
                                                    const Invocation& invocation) {
  BeforeHosts();
  auto reply = RunContext::Current().Call(role, invocation, random_poison_);
  if (!reply && reply.error().verdict == Verdict::kJudgeError) {
    EndCase(Verdict::kJudgeError, reply.error().detail);
  }
  return reply;
}

void CaseTest::UseAllProcessors(std::string_view role) {
  RunContext::Current().UseAllProcessors(role);
}

void CaseTest::RestartHost(std::string_view role) { RunContext::Current().RestartHost(role); }

Host& CaseTest::HostOf(std::string_view role) {
  BeforeHosts();
  const auto host = RunContext::Current().GetHost(role);
  if (!host) {
    EndCase(host.error().verdict, host.error().detail);
  }
  return **host;
}

std::int64_t CaseTest::PrivateBytes(std::string_view role) {
  Call(role, Invocation(wire::kTrimName));
  return HostOf(role).PrivateBytes();
}

bool CaseTest::HasOperation(std::string_view operation) {
  const bool has = HostOf(RoleOfOperations()).Has(operation);
  if (!has) {
    RunContext::Current().SawMissingOperation(RoleOfOperations());
  }
  return has;
}

void CaseTest::RequireOperation(std::string_view operation) {
  if (!HasOperation(operation)) {
    FailCase(fmt::format("entry point {} is missing", operation));
  }
}

void CaseTest::NeedOptionalOperation(std::string_view operation) {
  if (!HasOperation(operation)) {
    Skip(fmt::format("entry point {} is not implemented", operation));
  }
}

void CaseTest::Skip(std::string_view reason) {
  TheResults().NoteSkipCause(RunContext::Current().WhySkipped());
  EndCase(Verdict::kSkipped, reason);
}

void CaseTest::FailCase(std::string_view reason) { EndCase(Verdict::kWrongAnswer, reason); }

void CaseTest::FailCase(const HostFailure& failure) { EndCase(failure.verdict, failure.detail); }

void CaseTest::NoteErrorOverBound(double error_over_bound) {
  TheResults().NoteErrorOverBound(error_over_bound);
}

double CaseTest::Record(const Output& output, const Comparison& comparison) {
  NoteErrorOverBound(comparison.error_over_bound);
  if (!comparison.AllWithin()) {
    TheResults().Note(Verdict::kWrongAnswer, Describe(output.InWords(), comparison), output.name);
  }
  return comparison.error_over_bound;
}

std::span<const std::byte> CaseTest::PoisonOf(std::span<const std::byte> output) {
  return RunContext::Current().PoisonOf(output);
}

void CaseTest::ExpectSameBytes(std::string_view array, std::span<const std::byte> actual,
                               std::span<const std::byte> wanted, std::size_t element_bytes) {
  const auto differ = std::ranges::mismatch(actual, wanted);
  if (differ.in1 == actual.end() && differ.in2 == wanted.end()) {
    return;
  }
  const auto index = static_cast<std::size_t>(differ.in1 - actual.begin()) / element_bytes;
  TheResults().Note(Verdict::kWrongAnswer, fmt::format("{}[{}] was changed", array, index), array);
}

void CaseTest::NoteReproduction(std::string_view calls) { TheResults().NoteReproduction(calls); }

void CaseTest::Metric(const std::string& name, double value) {
  UpdateMetric(name, value, MetricRule::kLast);
}

void CaseTest::MetricMax(const std::string& name, double value) {
  UpdateMetric(name, value, MetricRule::kMax);
}

void CaseTest::MetricMin(const std::string& name, double value) {
  UpdateMetric(name, value, MetricRule::kMin);
}

void CaseTest::MetricAdd(const std::string& name, double value) {
  UpdateMetric(name, value, MetricRule::kSum);
}

void CaseTest::CurvePoint(const std::string& curve, double x, double y) {
  TheResults().run().suite.curves[curve].emplace_back(x, y);
}

void CaseTest::CurveMax(const std::string& curve, double x, double y) {
  auto& points = TheResults().run().suite.curves[curve];
  const auto point = std::ranges::find(points, x, &std::pair<double, double>::first);
  if (point == points.end()) {
    points.emplace_back(x, y);
  } else {
    point->second = std::max(point->second, y);
  }
}

bool CaseTest::sanitized() const { return RunContext::Current().flags().sanitized; }

bool RegisterQuestion(std::string id, RunResults::Question question) {
  Questions().emplace_back(std::move(id), std::move(question));
  return true;
}

Status AddQuestions(RunResults& run) {
  for (const auto& [id, question] : Questions()) {
    if (!run.questions.try_emplace(id, question).second) {
      return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                   .where = "",
                                   .cause = fmt::format("question \"{}\" is registered twice", id),
                                   .remedy = "give each question of the suite its own name"});
    }
  }
  return {};
}

}  // namespace assay

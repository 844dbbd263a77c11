// SPDX-License-Identifier: Apache-2.0
#include "client/suite_main.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "client/case.h"
#include "client/progress_line.h"
#include "client/run_context.h"

namespace assay {
namespace {

std::string NameOf(const testing::TestInfo& info) {
  return fmt::format("{}.{}", info.test_suite_name(), info.name());
}

/// Of all cases of the program, whether a filter lets them run or not: their places by name.
std::map<std::string, int> PlacesOfCases() {
  std::map<std::string, int> places;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& group = *program.GetTestSuite(i);
    for (int k = 0; k < group.total_test_count(); ++k) {
      places.emplace(NameOf(*group.GetTestInfo(k)), static_cast<int>(places.size()));
    }
  }
  return places;
}

/// Turns what GoogleTest reports into cases.
class CaseListener : public testing::EmptyTestEventListener {
 public:
  explicit CaseListener(RunContext& context) : context_(context) {}

  void OnTestStart(const testing::TestInfo& info) override {
    context_.BeginCase(NameOf(info));
    in_case_ = true;
    start_ = std::chrono::steady_clock::now();
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) {
      return;
    }
    // GoogleTest gives no place to an exception that reached it: one of ours, so a fault of ours.
    const bool is_exception = part.file_name() == nullptr;
    const Verdict verdict = is_exception ? Verdict::kJudgeError : Verdict::kWrongAnswer;
    // GoogleTest holds a lock here: asking it for the current test would wait for ever.
    if (in_case_) {
      context_.results().Note(verdict, part.message());
    } else {
      context_.results().NoteJudgeError(part.message());
    }
  }

  void OnTestEnd(const testing::TestInfo&) override {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    in_case_ = false;
    const CaseEvidence& ended = context_.EndCase(taken.count());
    context_.results().run().places.push_back(places_.at(ended.name));
    PrintProgress(++done_, testing::UnitTest::GetInstance()->test_to_run_count(), ended.name,
                  ended.verdict, ended.detail);
  }

 private:
  RunContext& context_;
  const std::map<std::string, int> places_ = PlacesOfCases();
  std::chrono::steady_clock::time_point start_;
  bool in_case_ = false;
  int done_ = 0;
};

void RunCases(RunContext& context) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  CaseListener listener(context);
  listeners.Append(&listener);
  // Cases end by exceptions (case.h), whatever the command line says.
  GTEST_FLAG_SET(catch_exceptions, true);
  GTEST_FLAG_SET(throw_on_failure, false);
  // What failed is in the results; GoogleTest's own count says nothing more.
  [[maybe_unused]] const int failed = RUN_ALL_TESTS();
  listeners.Release(&listener);
  if (context.results().run().suite.cases.empty()) {
    context.results().NoteJudgeError("no case matches --gtest_filter");
  }
}

Result<std::unique_ptr<DeviceProvider>> MakeDevices(const RunFlags& flags,
                                                    const DeviceProviderFactory& devices) {
  if (devices) {
    return devices(flags);
  }
  if (flags.device != DeviceKind::kEmulated) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "--assay_device",
                                 .cause = "this suite has no CUDA operations",
                                 .remedy = "leave the flag out"});
  }
  return nullptr;
}

}  // namespace

int SuiteMain(int argc, char** argv, const DeviceProviderFactory& devices) {
  const std::string program = argc > 0 ? argv[0] : "suite";
  testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) {
    return RUN_ALL_TESTS();
  }
  Result<RunFlags> flags = ParseRunFlags(&argc, argv);
  if (!flags) {
    return ExitWithUsage(program, flags.error());
  }
  // Before this process gives processors away.
  Result<std::unique_ptr<DeviceProvider>> provider = MakeDevices(*flags, devices);
  if (!provider) {
    return ExitWithUsage(program, provider.error());
  }
  if (const Status pinned = SeparateFromHosts(*flags); !pinned) {
    return ExitWithUsage(program, pinned.error());
  }
  RunContext context(*flags, provider->get());
  RunCases(context);
  if (const Status questions = AddQuestions(context.results().run()); !questions) {
    context.results().NoteJudgeError(ToString(questions.error()));
  }
  return ExitWithResults(program, *flags, context.results().run());
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "grade/suite_processes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "grade/recorder_for_test.h"
#include "process/pinned_for_test.h"
#include "process/processors.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// A program in the place of the suite: a script that knows by its filter which of both it is, and
// leaves the results that were made ready for that one.
class SuiteProcessesTest : public testing::Test {
 protected:
  void Ready(std::string_view which, const RunResults& results) {
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / (std::string(which) + ".json"),
                                    RunResultsToJson(results)));
  }

  Result<RunResults> Run(const std::string& body,
                         const std::vector<std::string>& second_process = {"Edge", "Time"}) {
    const fs::path program = folder_.path() / "suite";
    EXPECT_TRUE(WriteFileAtomically(program,
                                    "#!/bin/sh\nwhich=second\nbase=" + folder_.path().string() +
                                        "\nfor a in \"$@\"; do case $a in\n"
                                        "--assay_results=*) out=${a#*=};;\n"
                                        "--gtest_filter=-*) which=first filter=$a;;\n"
                                        "--gtest_filter=*) filter=$a;;\n"
                                        "--assay_processors=*) processors=${a#*=};;\nesac; done\n" +
                                        body + "\ncp $base/$which.json \"$out\"\n"));
    fs::permissions(program, fs::perms::owner_all);
    return RunSuiteInProcesses({.program = program,
                                .host = "/none",
                                .baseline = "/none",
                                .limits = {},
                                .arguments = {},
                                .time_limit = std::chrono::seconds(20)},
                               second_process, folder_.path(), recorder_);
  }

  std::string Text(std::string_view name) { return ReadFile(folder_.path() / name).value_or(""); }

  // Cases with their places.
  static RunResults Of(const std::vector<std::pair<std::string, int>>& cases) {
    RunResults results;
    for (const auto& [name, place] : cases) {
      results.places.push_back(place);
      CaseEvidence& one = results.suite.cases.emplace_back();
      one.name = name;
      one.verdict = Verdict::kAccepted;
    }
    return results;
  }

  void SetUp() override {
    Ready("first", Of({{"Core.One", 1}}));
    Ready("second", Of({{"Edge.Nan", 0}, {"Time/f32.Long", 2}}));
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "suite_processes").value();
  Recorder recorder_;
};

TEST_F(SuiteProcessesTest, EachCaseIsOfOneProcess) {
  const auto got = Run("echo \"$filter\" >$base/$which.filter");
  ASSERT_TRUE(got) << ToString(got.error());
  EXPECT_EQ(Text("first.filter"), "--gtest_filter=-Edge.*:Edge/*:Time.*:Time/*\n");
  EXPECT_EQ(Text("second.filter"), "--gtest_filter=Edge.*:Edge/*:Time.*:Time/*\n");
  std::vector<std::string> names;
  for (const CaseEvidence& one : got->suite.cases) {
    names.push_back(one.name);
  }
  EXPECT_THAT(names, ElementsAre("Edge.Nan", "Core.One", "Time/f32.Long"));
}

TEST_F(SuiteProcessesTest, EachHasHalfOfTheProcessors) {
  const std::vector<int> usable = UsableProcessors();
  if (usable.size() < 2) {
    GTEST_SKIP() << "one processor, which each has in turn";
  }
  ASSERT_TRUE(Run("echo \"$processors\" >$base/$which.processors"));
  const auto half = usable.begin() + static_cast<std::ptrdiff_t>(usable.size() / 2);
  EXPECT_EQ(Text("second.processors"), fmt::format("{}\n", fmt::join(usable.begin(), half, ",")));
  EXPECT_EQ(Text("first.processors"), fmt::format("{}\n", fmt::join(half, usable.end(), ",")));
}

TEST_F(SuiteProcessesTest, WithoutASecondProcessThereIsOne) {
  ASSERT_TRUE(Run("echo \"$filter\" >>$base/seen", {}));
  EXPECT_EQ(Text("seen"), "\n");
}

// Each waits for the other: one after the other they would wait for ever.
TEST_F(SuiteProcessesTest, BothRunAtTheSameTime) {
  if (UsableProcessors().size() < 2) {
    GTEST_SKIP() << "one processor: one after the other";
  }
  const auto got =
      Run("touch $base/$which.here\n"
          "until [ -e $base/first.here ] && [ -e $base/second.here ]; do sleep 0.01; done");
  EXPECT_TRUE(got) << ToString(got.error());
}

TEST_F(SuiteProcessesTest, OneProcessorRunsOneAfterTheOther) {
  const Pinned pinned(UsableProcessors().front());
  const auto got =
      Run("mkdir $base/running || exit 3\nsleep 0.05\nrmdir $base/running\n"
          "echo $which $processors >>$base/order");
  ASSERT_TRUE(got) << ToString(got.error());
  const int only = UsableProcessors().front();
  EXPECT_EQ(Text("order"), fmt::format("first {0}\nsecond {0}\n", only));
}

TEST_F(SuiteProcessesTest, ProgressIsOfBoth) {
  const Pinned pinned(UsableProcessors().front());
  ASSERT_TRUE(
      Run("if [ $which = first ]; then echo '@case 1 2 A.b accepted'; "
          "echo '@case 2 2 A.c accepted'; else echo '@case 1 3 Edge.d accepted'; fi"));
  EXPECT_THAT(recorder_.heard, ElementsAre("1/2 A.b", "2/2 A.c", "3/5 Edge.d"));
}

TEST_F(SuiteProcessesTest, ThatOneOfThemDiesIsOurFault) {
  for (const std::string which : {"first", "second"}) {
    const auto got = Run("[ $which != " + which + " ] || { echo words of $which >&2; exit 4; }");
    ASSERT_FALSE(got) << which;
    EXPECT_EQ(got.error().kind, ErrorKind::kJudge);
    EXPECT_THAT(got.error().cause, HasSubstr("words of " + which));
  }
}

// `Edges.One` and `Together/Edge.One` are of other groups.
TEST_F(SuiteProcessesTest, AGroupWithoutACaseIsNamed) {
  Ready("second", Of({{"Edges.One", 0}, {"Together/Edge.One", 2}, {"Time/f32.Long", 3}}));
  const auto got = Run("");
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().cause, HasSubstr("no case of \"Edge\", which second_process"));
}

TEST_F(SuiteProcessesTest, ResultsWithoutThePlacesOfCasesAreOurFault) {
  RunResults unplaced = Of({{"Core.One", 1}});
  unplaced.places.clear();
  Ready("first", unplaced);
  const auto got = Run("");
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().cause, HasSubstr("the place of each case"));
}

TEST(JoinedResults, MetricsFollowTheirRules) {
  RunResults first;
  first.suite.metrics = {{"last", 1}, {"max", 1}, {"min", 1}, {"sum", 1}, {"of_first", 1}};
  first.metric_rules = {{"last", MetricRule::kLast},
                        {"max", MetricRule::kMax},
                        {"min", MetricRule::kMin},
                        {"sum", MetricRule::kSum},
                        {"of_first", MetricRule::kSum}};
  RunResults second;
  second.suite.metrics = {{"last", 2}, {"max", 2}, {"min", 2}, {"sum", 2}, {"of_second", 2}};
  second.metric_rules = first.metric_rules;
  second.metric_rules.erase("of_first");
  second.metric_rules["of_second"] = MetricRule::kMin;
  const RunResults both = Joined(first, second);
  EXPECT_THAT(both.suite.metrics,
              ElementsAre(Pair("last", 1), Pair("max", 2), Pair("min", 1), Pair("of_first", 1),
                          Pair("of_second", 2), Pair("sum", 3)));
  EXPECT_EQ(both.metric_rules.at("of_second"), MetricRule::kMin);
}

TEST(JoinedResults, CurvesOfBothAreInTheOrderOfX) {
  RunResults first;
  first.suite.curves = {{"both", {{3, 1}, {1, 5}}}, {"of_first", {{2, 1}, {1, 1}}}};
  RunResults second;
  second.suite.curves = {{"both", {{2, 7}, {1, 4}, {3, 2}}}, {"of_second", {{9, 1}, {8, 1}}}};
  const auto curves = Joined(first, second).suite.curves;
  EXPECT_THAT(curves.at("both"), ElementsAre(Pair(1, 5), Pair(2, 7), Pair(3, 2)));
  EXPECT_THAT(curves.at("of_first"), ElementsAre(Pair(2, 1), Pair(1, 1)));
  EXPECT_THAT(curves.at("of_second"), ElementsAre(Pair(9, 1), Pair(8, 1)));
}

TEST(JoinedResults, NothingIsThereTwiceAndNothingIsLost) {
  RunResults first;
  first.suite.device_lacks = {"a", "b"};
  first.suite.device_findings = {DeviceFinding{.checker = "racecheck", .text = "a"}};
  first.suite.launches.resize(1);
  first.suite.launches[0].label = "one";
  first.sanitizer_findings = {"leak"};
  first.questions["q"].value = 1;
  RunResults second = first;
  second.suite.device_lacks = {"b", "c"};
  second.suite.device_findings.push_back(DeviceFinding{.checker = "memcheck", .text = "a"});
  second.suite.launches[0].label = "two";
  second.sanitizer_findings = {"leak", "overflow"};
  second.entry_points = {"f"};
  const RunResults both = Joined(first, second);
  EXPECT_THAT(both.suite.device_lacks, ElementsAre("a", "b", "c"));
  EXPECT_EQ(both.suite.device_findings, second.suite.device_findings);
  ASSERT_EQ(both.suite.launches.size(), 2U);
  EXPECT_EQ(both.suite.launches[1].label, "two");
  EXPECT_THAT(both.sanitizer_findings, ElementsAre("leak", "overflow"));
  EXPECT_THAT(both.entry_points, ElementsAre("f"));
  EXPECT_EQ(both.questions, first.questions);
}

}  // namespace
}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "evidence/json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A carried folder whose executables are shell scripts, on a machine whose nvidia-smi and ncu are.
class GpuCheckRunTest : public testing::Test {
 protected:
  GpuCheckRunTest() {
    run_.folder = folder_.path() / "carried";
    run_.nvidia_smi = Tool("nvidia-smi", "case $1 in -L) ;; *) echo 'NVIDIA H100, 580.1';; esac\n");
    run_.ncu = (folder_.path() / "no-ncu").string();
    run_.program_limit = std::chrono::seconds(20);
    plan_.programs = {Program("scan", "sum 6\n"), Program("sort", "1 2 3\n")};
    Write(Folder().Program("scan"), "echo sum 6\n");
    Write(Folder().Program("sort"), "echo 1 2 3\n");
  }

  static CheckedProgram Program(const std::string& name, const std::string& expected) {
    return {.name = name, .expected = expected, .hardware_differs = {}, .launches = {}};
  }
  [[nodiscard]] GpuCheckFolder Folder() const { return {run_.folder}; }

  static void Write(const fs::path& file, const std::string& body) {
    EXPECT_TRUE(WriteFileAtomically(file, "#!/bin/sh\n" + body));
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string Tool(const std::string& name, const std::string& body) {
    Write(folder_.path() / name, body);
    return (folder_.path() / name).string();
  }

  /// A suite in whose place a script leaves the results of `host` that AddHost wrote.
  void AddChallenge(const std::string& id) {
    Write(Folder().Suite(id),
          "for a in \"$@\"; do case $a in --assay_results=*) out=${a#*=};; "
          "--assay_host=*) host=${a#*=};; esac; done\n"
          "echo \"$@\" >\"$host.arguments\"\n. \"$host\"\n");
    plan_.challenges.push_back({.id = id, .filter = "*Cuda*", .hosts = {}});
  }
  /// `body` is run in the suite; `$out` is where its results go, `$host.json` is what is wrong.
  void AddHost(const std::string& name, Verdict emulated, Verdict here,
               const std::string& body = "cp \"$host.json\" \"$out\"\n") {
    CheckedChallenge& challenge = plan_.challenges.back();
    challenge.hosts.push_back({.name = name, .emulated = {{"Cuda.One", emulated}}});
    const fs::path host = Folder().Host(challenge.id, name);
    RunResults results;
    results.suite.cases.resize(1);
    results.suite.cases[0].name = "Cuda.One";
    results.suite.cases[0].verdict = here;
    EXPECT_TRUE(WriteFileAtomically(host.string() + ".json", RunResultsToJson(results)));
    Write(host, body);
  }

  Result<GpuCheckReport> Run() {
    EXPECT_TRUE(WriteFileAtomically(Folder().Plan(), ToJson(plan_)));
    return RunGpuCheck(run_, [this](const GpuCheckEvent& event) { heard_.push_back(event); });
  }
  GpuCheckReport Report() {
    auto report = Run();
    EXPECT_TRUE(report.has_value()) << ToString(report.error());
    return report.value_or(GpuCheckReport{.gpu = {}});
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "gpu_check_run").value();
  GpuCheckRun run_;
  GpuCheckPlan plan_;
  std::vector<GpuCheckEvent> heard_;
};

TEST_F(GpuCheckRunTest, ProgramsThatAgree) {
  const GpuCheckReport report = Report();
  EXPECT_TRUE(Agrees(report));
  EXPECT_EQ(report.gpu, "NVIDIA H100, 580.1");
  ASSERT_THAT(report.programs, SizeIs(2));
  EXPECT_EQ(report.programs[0].name, "scan");
  EXPECT_THAT(heard_, SizeIs(3));
  EXPECT_THAT(report.no_counters, HasSubstr("none of the programs"));
}

TEST_F(GpuCheckRunTest, NoGpuIsALackOfTheMachine) {
  for (const std::string& nvidia_smi :
       {Tool("failing", "exit 9\n"), (folder_.path() / "missing").string()}) {
    run_.nvidia_smi = nvidia_smi;
    const auto report = Run();
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().kind, ErrorKind::kJudge);  // Exit code 3.
    EXPECT_THAT(report.error().cause, HasSubstr("no GPU here"));
    EXPECT_THAT(heard_, IsEmpty());
  }
}

TEST_F(GpuCheckRunTest, AFolderThatNobodyMadeIsNamed) {
  run_.folder = folder_.path() / "empty";
  const auto report = RunGpuCheck(run_, [](const GpuCheckEvent&) {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(report.error().cause, HasSubstr("plan.json"));
}

TEST_F(GpuCheckRunTest, AProgramThatPrintsSomethingElseDisagrees) {
  Write(Folder().Program("sort"), "echo 1 3 2\n");
  const GpuCheckReport report = Report();
  EXPECT_FALSE(Agrees(report));
  EXPECT_EQ(report.programs[0].verdict, ProgramVerdict::kAgrees);
  EXPECT_EQ(report.programs[1].verdict, ProgramVerdict::kDiffers);
  EXPECT_THAT(report.programs[1].detail, HasSubstr("\"1 3 2\" here"));
}

TEST_F(GpuCheckRunTest, AProgramThatNeverEndsIsCutOffAndTheOthersRun) {
  run_.program_limit = std::chrono::milliseconds(300);
  Write(Folder().Program("scan"), "echo sum 6\nsleep 60\n");
  const GpuCheckReport report = Report();
  EXPECT_EQ(report.programs[0].verdict, ProgramVerdict::kTimedOut);
  EXPECT_EQ(report.programs[1].verdict, ProgramVerdict::kAgrees);
}

TEST_F(GpuCheckRunTest, AMissingProgramDisagreesAndTheOthersRun) {
  fs::remove(Folder().Program("scan"));
  const GpuCheckReport report = Report();
  EXPECT_EQ(report.programs[0].verdict, ProgramVerdict::kMissing);
  EXPECT_EQ(report.programs[1].verdict, ProgramVerdict::kAgrees);
}

TEST_F(GpuCheckRunTest, CutOutputNeverAgrees) {
  run_.output_limit_bytes = 6;
  Write(Folder().Program("scan"), "echo sum 6\necho more\n");  // What is kept is what is expected.
  const GpuCheckReport report = Report();
  EXPECT_EQ(report.programs[0].verdict, ProgramVerdict::kOutputCut);
  EXPECT_EQ(report.programs[1].verdict, ProgramVerdict::kAgrees);
}

TEST_F(GpuCheckRunTest, NamedProgramsAloneAreRun) {
  run_.programs = {"sort"};
  AddChallenge("kv_cache");
  AddHost("baseline", Verdict::kAccepted, Verdict::kAccepted);
  const GpuCheckReport report = Report();
  ASSERT_THAT(report.programs, SizeIs(1));
  EXPECT_EQ(report.programs[0].name, "sort");
  EXPECT_THAT(report.hosts, IsEmpty());
  run_.programs = {"sorts"};
  const auto misspelt = Run();
  ASSERT_FALSE(misspelt.has_value());
  EXPECT_EQ(misspelt.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(misspelt.error().remedy, HasSubstr("sort"));
}

constexpr const char* kHeader = "echo '\"ID\",\"Metric Name\",\"Metric Value\"'\n";

TEST_F(GpuCheckRunTest, CountersAreComparedWhereNcuIs) {
  plan_.programs[0].launches = {
      {.launch = 0, .kernel = "K", .counters = {{"warp_instructions", 9}}}};
  plan_.programs[1].launches = plan_.programs[0].launches;
  plan_.programs[1].hardware_differs = "ptxas merges loads";
  EXPECT_EQ(Report().no_counters, "no ncu here");
  // The last argument is the program.
  run_.ncu =
      Tool("ncu", "for program in \"$@\"; do :; done\n\"$program\"\n" + std::string(kHeader) +
                      "echo '\"0\",\"smsp__inst_executed.sum\",\"12\"'\n");
  const GpuCheckReport report = Report();
  EXPECT_TRUE(Agrees(report));
  EXPECT_EQ(report.no_counters, "");
  EXPECT_THAT(report.counters,
              ElementsAre(CounterOutcome{.name = "scan", .verdict = CounterVerdict::kAgree},
                          CounterOutcome{.name = "sort",
                                         .verdict = CounterVerdict::kNotCompared,
                                         .reason = "ptxas merges loads"}));
  run_.ncu = Tool("ncu", "echo ERR_NVGPUCTRPERM >&2\nexit 1\n");
  EXPECT_FALSE(Agrees(Report()));
  plan_.no_counters = "no gpu_counters";
  EXPECT_EQ(Report().no_counters, "no gpu_counters");
}

TEST_F(GpuCheckRunTest, SuitesRunOnTheRealGpuWithoutASandbox) {
  AddChallenge("kv_cache");
  AddHost("baseline", Verdict::kAccepted, Verdict::kAccepted);
  AddHost("off_by_one", Verdict::kWrongAnswer, Verdict::kAccepted);
  const GpuCheckReport report = Report();
  EXPECT_TRUE(Agrees(report));
  ASSERT_THAT(report.hosts, SizeIs(2));
  EXPECT_THAT(report.hosts[0].differences, IsEmpty());
  EXPECT_THAT(report.hosts[1].differences, SizeIs(1));
  const std::string arguments =
      ReadFile(Folder().Host("kv_cache", "off_by_one").string() + ".arguments").value_or("");
  for (const std::string& argument :
       {std::string("--assay_device=cuda"), std::string("--assay_level=none"),
        std::string("--gtest_filter=*Cuda*"), std::string("--assay_memory_bytes=34359738368"),
        "--assay_baseline=" + Folder().Host("kv_cache", "baseline").string()}) {
    EXPECT_THAT(arguments, HasSubstr(argument));
  }
}

TEST_F(GpuCheckRunTest, ABaselineThatIsWrongOrASuiteThatDiesFails) {
  AddChallenge("kv_cache");
  AddHost("baseline", Verdict::kAccepted, Verdict::kWrongAnswer);
  AddHost("off_by_one", Verdict::kWrongAnswer, Verdict::kWrongAnswer, "echo last words\nexit 3\n");
  const GpuCheckReport report = Report();
  EXPECT_FALSE(Agrees(report));
  EXPECT_THAT(report.hosts[0].failure, HasSubstr("baseline is not accepted"));
  EXPECT_THAT(report.hosts[1].failure, HasSubstr("last words"));
}

TEST_F(GpuCheckRunTest, BaselinesAreTimed) {
  AddChallenge("fused_softmax_topk");
  AddHost("baseline", Verdict::kAccepted, Verdict::kAccepted);
  Write(Folder().RealBench(), "echo \"$@\"\n");
  const GpuCheckReport report = Report();
  ASSERT_THAT(report.benches, SizeIs(2));
  EXPECT_TRUE(Agrees(report));
  EXPECT_THAT(report.benches[0].printed, HasSubstr("--bytes 32784384 softmax_topk_f32 u64=256"));
  EXPECT_THAT(report.benches[0].printed,
              HasSubstr(Folder().Host("fused_softmax_topk", "baseline").string()));
  fs::remove(Folder().RealBench());
  EXPECT_FALSE(Agrees(Report()));
}

TEST_F(GpuCheckRunTest, SaysWhyThereAreNoChallenges) {
  plan_.no_challenges = "no toolkit";
  EXPECT_EQ(Report().no_challenges, "no toolkit");
}

}  // namespace
}  // namespace assay

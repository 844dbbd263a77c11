// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_check_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "evidence/json.h"
#include "exec/gpu_check_plan.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// A checkout of two programs and a challenge, with shell scripts for nvcc, cmake and what is
/// built.
class GpuCheckBuildTest : public testing::Test {
 protected:
  GpuCheckBuildTest() {
    Text(Sources() / "harness/gpu/programs/kernels/scan.cu", "// FLAGS: -G\nint main() {}\n");
    Text(Sources() / "harness/gpu/programs/kernels/spin.cu", "// COUNTERS: vary\n");
    Text(Sources() / "harness/gpu/programs/expected/scan.txt", "sum 6\n");
    Text(Sources() / "harness/gpu/programs/expected/spin.txt", "spun\n");
    Text(Sources() / "harness/gpu/programs/bugs/racecheck_hazard.cu", "int main() {}\n");
    Script(Sources() / "scripts/gpu_check", "");
    Script(Built() / "bin/assay", "");
    Script(Built() / "harness/gpu/programs/kernels/scan", "");
    Script(Built() / "harness/gpu/programs/kernels/spin", "");
    Script(Built() / "harness/gpu/programs/gpu_counters",
           "for p in \"$@\"; do echo '{\"program\":\"'${p##*/}'\",\"launch\":0,"
           "\"kernel\":\"K\",\"counters\":{\"warp_instructions\":9}}'; done\n");
    build_.installation.sources = Sources();
    build_.installation.build = Built();
    build_.folder = folder_.path() / "carried";
    build_.nvcc = folder_.path() / "nvcc";
    // What it was asked goes into what it makes.
    Script(build_.nvcc,
           "for a in \"$@\"; do [ \"$last\" = -o ] && out=$a; last=$a; done\n"
           "echo \"$@\" >\"$out\"\n");
    build_.cmake = (folder_.path() / "cmake").string();
    Script(build_.cmake, "echo \"$@\" >>\"$0.asked\"\necho building\n");
  }

  [[nodiscard]] fs::path Sources() const { return folder_.path() / "checkout"; }
  [[nodiscard]] fs::path Built() const { return Sources() / "build/release"; }
  [[nodiscard]] GpuCheckFolder Folder() const { return {build_.folder}; }

  static void Text(const fs::path& file, const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(file, text));
  }
  static void Script(const fs::path& file, const std::string& body) {
    Text(file, "#!/bin/sh\n" + body);
    fs::permissions(file, fs::perms::owner_all);
  }

  /// A challenge with a baseline and a mutant, of which the suite says `verdict`.
  void AddBuiltChallenge(Verdict verdict) {
    fs::create_directories(Sources() / "challenges/kv_cache");
    const fs::path built = Built() / "reference/kv_cache";
    for (const char* const host : {"baseline_real_host", "baseline_host",
                                   "mutants/off_by_one_real_host", "mutants/off_by_one_host"}) {
      Script(built / host, "");
    }
    RunResults results;
    results.suite.cases.resize(1);
    results.suite.cases[0].name = "CudaDecode.One";
    results.suite.cases[0].verdict = verdict;
    Text(folder_.path() / "results.json", RunResultsToJson(results));
    Script(built / "suite",
           "for a in \"$@\"; do case $a in --assay_results=*) out=${a#*=};; --gtest_list_tests)\n"
           "printf 'CudaDecode.\\n  One\\n'; exit;; esac; done\n"
           "echo \"$@\" >>\"$0.asked\"\ncp " +
               (folder_.path() / "results.json").string() + " \"$out\"\n");
    Script(Built() / "harness/sandbox/assay_sandbox_init", "");
    Script(Built() / "harness/gpu/real/real_bench", "");
  }

  Status Build() {
    return BuildGpuCheck(build_, [this](std::string_view line) { heard_.emplace_back(line); });
  }
  GpuCheckPlan Plan() {
    return GpuCheckPlanFromJson(ReadFile(Folder().Plan()).value_or(""), "plan.json")
        .value_or(GpuCheckPlan{});
  }
  std::string AskedOf(const fs::path& program) {
    return ReadFile(program.string() + ".asked").value_or("");
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "gpu_check_build").value();
  GpuCheckBuild build_;
  std::vector<std::string> heard_;
};

TEST_F(GpuCheckBuildTest, NamedProgramsWithWhatTheyMustPrint) {
  build_.programs = {"scan", "racecheck_hazard"};
  const Status built = Build();
  ASSERT_TRUE(built.has_value()) << ToString(built.error());
  const GpuCheckPlan plan = Plan();
  ASSERT_THAT(plan.programs, SizeIs(2));
  EXPECT_EQ(plan.programs[0].expected, "sum 6\n");
  EXPECT_THAT(plan.programs[0].launches,
              ElementsAre(EmulatedLaunch{
                  .launch = 0, .kernel = "K", .counters = {{"warp_instructions", 9}}}));
  EXPECT_EQ(plan.programs[1].expected, "");  // A clean twin says nothing.
  EXPECT_THAT(plan.no_challenges, HasSubstr("named"));
  const std::string nvcc = ReadFile(Folder().Program("scan")).value_or("");
  EXPECT_THAT(nvcc, HasSubstr("-cudart static -DCLEAN"));
  EXPECT_THAT(nvcc, HasSubstr(" -G "));
  EXPECT_THAT(ReadFile(Folder().Program("racecheck_hazard")).value_or(""),
              testing::Not(HasSubstr(" -G ")));
  EXPECT_TRUE(fs::exists(Folder().root / "assay"));
  EXPECT_TRUE(fs::exists(Folder().root / "gpu_check"));
  EXPECT_EQ(AskedOf(build_.cmake), "");
}

TEST_F(GpuCheckBuildTest, CountersThatVaryAreNotCarried) {
  build_.programs = {"spin"};
  ASSERT_TRUE(Build());
  EXPECT_THAT(Plan().programs.at(0).launches, IsEmpty());
}

TEST_F(GpuCheckBuildTest, WithoutTheEmulatorsCountersItSaysSo) {
  fs::remove(Built() / "harness/gpu/programs/gpu_counters");
  build_.programs = {"scan"};
  ASSERT_TRUE(Build());
  EXPECT_THAT(Plan().no_counters, HasSubstr("gpu_counters"));
  EXPECT_THAT(heard_, Contains(HasSubstr("scripts/build release")));
}

TEST_F(GpuCheckBuildTest, AProgramThatIsNotThereIsNamed) {
  build_.programs = {"scann"};
  const Status built = Build();
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(built.error().cause, HasSubstr("no program \"scann\""));
  EXPECT_THAT(built.error().remedy, HasSubstr("scan"));
}

TEST_F(GpuCheckBuildTest, AProgramThatDoesNotCompileIsAnErrorWithNvccsWords) {
  Script(build_.nvcc, "echo 'scan.cu(2): error: expected a ;' >&2\nexit 1\n");
  build_.programs = {"scan"};
  const Status built = Build();
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(built.error().where, HasSubstr("scan.cu"));
  EXPECT_THAT(built.error().cause, HasSubstr("expected a ;"));
  EXPECT_FALSE(fs::exists(Folder().Plan()));
}

TEST_F(GpuCheckBuildTest, APackageHasNoPrograms) {
  build_.installation.kind = InstallationKind::kPackage;
  const Status built = Build();
  ASSERT_FALSE(built.has_value());
  EXPECT_THAT(built.error().cause, HasSubstr("package"));
}

TEST_F(GpuCheckBuildTest, ChallengesWithTheEmulatedGpusVerdicts) {
  AddBuiltChallenge(Verdict::kWrongAnswer);
  const Status built = Build();
  ASSERT_TRUE(built.has_value()) << ToString(built.error());
  const GpuCheckPlan plan = Plan();
  EXPECT_THAT(plan.programs, SizeIs(3));
  ASSERT_THAT(plan.challenges, SizeIs(1));
  EXPECT_EQ(plan.challenges[0].filter, "*Cuda*");
  ASSERT_THAT(plan.challenges[0].hosts, SizeIs(2));
  EXPECT_EQ(plan.challenges[0].hosts[1].name, "off_by_one");
  EXPECT_THAT(plan.challenges[0].hosts[1].emulated,
              ElementsAre(Pair("CudaDecode.One", Verdict::kWrongAnswer)));
  for (const fs::path& carried : {Folder().Suite("kv_cache"), Folder().Host("kv_cache", "baseline"),
                                  Folder().Host("kv_cache", "off_by_one"), Folder().RealBench(),
                                  Folder().root / "assay_sandbox_init",
                                  Folder().Challenge("kv_cache") / "assay_sandbox_init"}) {
    EXPECT_TRUE(fs::exists(carried)) << carried;
  }
  const std::string asked = AskedOf(build_.cmake);
  EXPECT_THAT(asked, HasSubstr("-DASSAY_REAL_GPU=ON"));
  EXPECT_THAT(asked, HasSubstr("assay_real_hosts real_bench"));
  EXPECT_THAT(asked, HasSubstr("kv_cache_suite kv_cache_baseline_host "
                               "kv_cache_mutant_off_by_one_host"));
  const std::string suite = AskedOf(Built() / "reference/kv_cache/suite");
  EXPECT_THAT(suite, HasSubstr("--assay_host=" +
                               (Built() / "reference/kv_cache/mutants/off_by_one_host").string()));
  EXPECT_THAT(suite, testing::Not(HasSubstr("--assay_device")));
  EXPECT_THAT(heard_, Contains("building"));
}

TEST_F(GpuCheckBuildTest, MutantsCanBeLeftOut) {
  AddBuiltChallenge(Verdict::kAccepted);
  build_.mutants = CheckedMutants::kNone;
  ASSERT_TRUE(Build());
  ASSERT_THAT(Plan().challenges, SizeIs(1));
  ASSERT_THAT(Plan().challenges[0].hosts, SizeIs(1));
  EXPECT_EQ(Plan().challenges[0].hosts[0].name, "baseline");
}

TEST_F(GpuCheckBuildTest, ASuiteThatDiesOnTheEmulatedGpuIsSaidAndNotTheEnd) {
  AddBuiltChallenge(Verdict::kAccepted);
  fs::remove(folder_.path() / "results.json");
  ASSERT_TRUE(Build());
  ASSERT_THAT(Plan().challenges, SizeIs(1));
  EXPECT_THAT(Plan().challenges[0].hosts.at(0).emulated, IsEmpty());
  EXPECT_THAT(heard_, Contains(HasSubstr("left no results")));
}

TEST_F(GpuCheckBuildTest, ChallengesThatCannotBeBuilt) {
  Script(build_.cmake, "echo 'no libcudart_static.a' >&2\nexit 1\n");
  const Status built = Build();
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(built.error().cause, HasSubstr("libcudart_static"));
  build_.without_challenges = WithoutChallenges::kProgramsAlone;
  ASSERT_TRUE(Build());
  EXPECT_THAT(Plan().no_challenges, HasSubstr("libcudart_static"));
  EXPECT_THAT(Plan().programs, SizeIs(3));
}

}  // namespace
}  // namespace assay

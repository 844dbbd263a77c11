// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CudaCheckOptions ParseCheck(std::vector<std::string> arguments) {
  const auto command = ParseCommandLine(std::move(arguments));
  EXPECT_TRUE(command.has_value()) << command.error().err;
  return command ? std::get<CudaCheckOptions>(*command) : CudaCheckOptions{};
}

TEST(CudaCheckCommandLine, StagesAndPrograms) {
  const CudaCheckOptions here = ParseCheck({"cuda", "check"});
  EXPECT_EQ(here.stage, CudaCheckStage::kHere);
  EXPECT_THAT(here.programs, IsEmpty());
  EXPECT_EQ(here.mutants, CheckedMutants::kAll);
  const CudaCheckOptions build =
      ParseCheck({"cuda", "check", "--build-only", "carried", "--no-mutants", "scan", "sort"});
  EXPECT_EQ(build.stage, CudaCheckStage::kBuildOnly);
  EXPECT_EQ(build.folder, "carried");
  EXPECT_THAT(build.programs, ElementsAre("scan", "sort"));
  EXPECT_EQ(build.mutants, CheckedMutants::kNone);
  const CudaCheckOptions run = ParseCheck({"cuda", "check", "--run", "carried", "--json"});
  EXPECT_EQ(run.stage, CudaCheckStage::kRunOnly);
  EXPECT_EQ(run.folder, "carried");
  EXPECT_EQ(run.common.format, OutputFormat::kJson);
}

TEST(CudaCheckCommandLine, WrongUsageIsNamed) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"cuda", "check", "--run", "a", "--build-only", "b"},
        {"cuda", "check", "--run", "a", "--no-mutants"},
        {"cuda", "check", "--run"},
        {"cuda", "check", "--schedule=random"}}) {
    const auto command = ParseCommandLine(arguments);
    ASSERT_FALSE(command.has_value());
    EXPECT_EQ(command.error().exit_code, 2);
  }
}

class CudaCheckTest : public ::testing::Test {
 protected:
  int Run() {
    out_.str("");
    err_.str("");
    did_.clear();
    const CudaCheckServices services = {
        .find_gpu =
            [this] {
              did_.emplace_back("find_gpu");
              return gpu_;
            },
        .find_nvcc =
            [this] {
              did_.emplace_back("find_nvcc");
              return nvcc_;
            },
        .detect_capabilities =
            [] {
              SandboxCapabilities capabilities;
              capabilities.level = SandboxLevel::kReduced;
              return capabilities;
            },
        .build =
            [this](const GpuCheckBuild& build, const BuildListener& say) {
              did_.emplace_back("build");
              built_ = build;
              say("building");
              return built_result_;
            },
        .run =
            [this](const GpuCheckRun& run, const GpuCheckListener& heard) {
              did_.emplace_back("run");
              ran_ = run;
              for (const ProgramOutcome& outcome : result_ ? result_->programs : NoPrograms()) {
                heard(outcome);
              }
              return result_;
            }};
    return RunCudaCheck(options_, services, console_);
  }

  static std::vector<ProgramOutcome> NoPrograms() { return {}; }
  static Error NoGpu() {
    return {.kind = ErrorKind::kJudge, .where = {}, .cause = "no GPU here", .remedy = "carry it"};
  }

  CudaCheckOptions options_;
  Result<std::string> gpu_ = "NVIDIA H100";
  Result<std::filesystem::path> nvcc_ = "/cuda/bin/nvcc";
  Status built_result_;
  Result<GpuCheckReport> result_ =
      GpuCheckReport{.gpu = "NVIDIA H100", .programs = {{.name = "scan", .detail = {}}}};
  std::vector<std::string> did_;
  std::optional<GpuCheckBuild> built_;
  std::optional<GpuCheckRun> ran_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(CudaCheckTest, BuildsAndRunsInAFolderOfItsOwn) {
  options_.programs = {"scan"};
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(did_, ElementsAre("find_gpu", "find_nvcc", "build", "run"));
  EXPECT_EQ(built_->nvcc, "/cuda/bin/nvcc");
  EXPECT_EQ(built_->without_challenges, WithoutChallenges::kProgramsAlone);
  EXPECT_EQ(built_->level, SandboxLevel::kReduced);
  EXPECT_EQ(ran_->folder, built_->folder);
  EXPECT_THAT(ran_->programs, ElementsAre("scan"));
  EXPECT_FALSE(std::filesystem::exists(built_->folder));
  EXPECT_THAT(out_.str(), HasSubstr("agrees scan\n1 of 1 programs agree"));
  EXPECT_EQ(err_.str(), "building\n");
}

TEST_F(CudaCheckTest, WithoutAGpuNothingIsBuiltAndItEndsWith3) {
  gpu_ = std::unexpected(NoGpu());
  EXPECT_EQ(Run(), 3);
  EXPECT_THAT(did_, ElementsAre("find_gpu"));
  EXPECT_EQ(err_.str(), "assay: no GPU here; carry it\n");
  gpu_ = "NVIDIA H100";
  options_.stage = CudaCheckStage::kRunOnly;
  result_ = std::unexpected(NoGpu());
  EXPECT_EQ(Run(), 3);
}

TEST_F(CudaCheckTest, WithoutNvccItEndsWith2) {
  nvcc_ = std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                .where = {},
                                .cause = "there is no nvcc",
                                .remedy = "run scripts/setup --cuda"});
  EXPECT_EQ(Run(), 2);
  EXPECT_THAT(did_, ElementsAre("find_gpu", "find_nvcc"));
}

TEST_F(CudaCheckTest, BuildsForAnotherMachineWithoutAGpuHere) {
  gpu_ = std::unexpected(NoGpu());
  options_.stage = CudaCheckStage::kBuildOnly;
  options_.folder = "carried";
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(did_, ElementsAre("find_nvcc", "build"));
  EXPECT_EQ(built_->folder, "carried");
  EXPECT_EQ(built_->without_challenges, WithoutChallenges::kAnError);
  built_result_ = std::unexpected(
      Error{.kind = ErrorKind::kConfiguration, .where = "scan.cu", .cause = "no", .remedy = "do"});
  EXPECT_EQ(Run(), 2);
}

TEST_F(CudaCheckTest, RunsWhatWasCarriedWithoutNvcc) {
  options_.stage = CudaCheckStage::kRunOnly;
  options_.folder = "carried";
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(did_, ElementsAre("run"));
  EXPECT_EQ(ran_->folder, "carried");
}

TEST_F(CudaCheckTest, ADifferenceEndsWith1) {
  result_->programs[0].verdict = ProgramVerdict::kDiffers;
  EXPECT_EQ(Run(), 1);
  EXPECT_THAT(out_.str(), HasSubstr("DIFFERS scan"));
}

TEST_F(CudaCheckTest, JsonIsOneDocument) {
  options_.common.format = OutputFormat::kJson;
  EXPECT_EQ(Run(), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str()).at("programs").at(0).at("name"), "scan");
}

}  // namespace
}  // namespace assay

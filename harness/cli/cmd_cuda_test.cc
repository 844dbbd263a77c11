// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/cmd_cuda_arguments.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "emulator/report/test_reports.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CudaRunOptions Parse(std::vector<std::string> arguments) {
  const auto command = ParseCommandLine(std::move(arguments));
  EXPECT_TRUE(command.has_value()) << command.error().err;
  return command ? std::get<CudaRunOptions>(*command) : CudaRunOptions{};
}

std::string Refuse(std::vector<std::string> arguments) {
  const auto command = ParseCommandLine(std::move(arguments));
  EXPECT_FALSE(command.has_value());
  EXPECT_EQ(command.has_value() ? 0 : command.error().exit_code, 2);
  return command ? "" : command.error().err;
}

TEST(CudaCommandLine, AFileAloneMeansDefaults) {
  const CudaRunOptions options = Parse({"cuda", "run", "prog.cu"});
  EXPECT_THAT(options.request.files, ElementsAre("prog.cu"));
  EXPECT_THAT(options.request.nvcc_flags, IsEmpty());
  EXPECT_THAT(options.request.program_arguments, IsEmpty());
  EXPECT_EQ(options.request.settings.model.id, "h100");
  EXPECT_EQ(options.request.settings.schedule, gpu::Schedule::kAscending);
  EXPECT_EQ(options.request.settings.seed, 0U);
  EXPECT_EQ(options.request.settings.checking, gpu::Checking::kOn);
  EXPECT_EQ(options.request.settings.approximation, gpu::Approximation::kRounded);
  EXPECT_EQ(options.request.settings.instruction_limit, std::nullopt);
  EXPECT_EQ(options.lines, gpu::SourceLines::kHidden);
  EXPECT_EQ(options.names, gpu::KernelNames::kShort);
  EXPECT_EQ(options.request.settings.leak_check, gpu::LeakCheck::kOff);
  EXPECT_EQ(options.error_exit_code, std::nullopt);
  EXPECT_EQ(options.json_file, std::nullopt);
  EXPECT_EQ(options.common.format, OutputFormat::kText);
}

TEST(CudaCommandLine, ArgumentsGoToWhomTheyAreFor) {
  const CudaRunOptions options =
      Parse({"cuda",       "run",        "-O3",    "--gpu=a100", "-I",       "include", "a.cu",
             "-std=c++17", "--schedule", "random", "-Xcompiler", "-fopenmp", "b.cu",    "--seed",
             "7",          "-lineinfo",  "--",     "--seed",     "x",        "--",      "c.cu"});
  EXPECT_THAT(options.request.files, ElementsAre("a.cu", "b.cu"));
  EXPECT_THAT(options.request.nvcc_flags, ElementsAre("-O3", "-I", "include", "-std=c++17",
                                                      "-Xcompiler", "-fopenmp", "-lineinfo"));
  EXPECT_THAT(options.request.program_arguments, ElementsAre("--seed", "x", "--", "c.cu"));
  EXPECT_EQ(options.request.settings.model.id, "a100");
  EXPECT_EQ(options.request.settings.schedule, gpu::Schedule::kRandom);
  EXPECT_EQ(options.request.settings.seed, 7U);
}

TEST(CudaCommandLine, TakesAllItsOptions) {
  const CudaRunOptions options =
      Parse({"cuda", "run", "--lines", "--no-checks", "--perturb", "--workers=2", "--limit", "1000",
             "--error-exitcode", "9", "--gpu", "rtx4090", "--schedule=reversed", "--full-names",
             "--leak-check", "prog.cu"});
  EXPECT_EQ(options.names, gpu::KernelNames::kFull);
  EXPECT_EQ(options.request.settings.leak_check, gpu::LeakCheck::kOn);
  EXPECT_EQ(options.lines, gpu::SourceLines::kShown);
  EXPECT_EQ(options.request.settings.checking, gpu::Checking::kOff);
  EXPECT_EQ(options.request.settings.approximation, gpu::Approximation::kPerturbed);
  EXPECT_EQ(options.request.settings.workers, 2U);
  EXPECT_EQ(options.request.settings.instruction_limit, 1000U);
  EXPECT_EQ(options.error_exit_code, 9);
  EXPECT_EQ(options.request.settings.model.id, "rtx4090");
  EXPECT_EQ(options.request.settings.schedule, gpu::Schedule::kReversed);
}

TEST(CudaCommandLine, JsonToTheErrorStreamOrAFile) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"cuda", "run", "--json", "prog.cu"},
        {"cuda", "run", "prog.cu", "--json"},
        {"--json", "cuda", "run", "prog.cu"},
        {"--root", "/r", "--json", "cuda", "run", "prog.cu"}}) {
    const CudaRunOptions options = Parse(arguments);
    EXPECT_EQ(options.common.format, OutputFormat::kJson);
    EXPECT_EQ(options.json_file, std::nullopt);
    EXPECT_THAT(options.request.files, ElementsAre("prog.cu"));
  }
  const CudaRunOptions file = Parse({"cuda", "run", "--json=out.json", "prog.cu"});
  EXPECT_EQ(file.json_file, "out.json");
  EXPECT_EQ(file.common.format, OutputFormat::kText);
}

TEST(CudaCommandLine, ColoursMayStandBeforeTheCommand) {
  const CudaRunOptions options = Parse({"--color", "never", "cuda", "run", "-O3", "prog.cu"});
  EXPECT_EQ(options.common.colour, WhenColour::kNever);
  EXPECT_THAT(options.request.nvcc_flags, ElementsAre("-O3"));
  EXPECT_THAT(options.request.files, ElementsAre("prog.cu"));
}

TEST(CudaCommandLine, WrongUsageIsNamed) {
  EXPECT_THAT(Refuse({"cuda"}), HasSubstr("subcommand"));
  EXPECT_THAT(Refuse({"cuda", "run"}), HasSubstr("files is required"));
  EXPECT_THAT(Refuse({"cuda", "run", "--gpu=v100", "a.cu"}), HasSubstr("v100"));
  EXPECT_THAT(Refuse({"cuda", "run", "--schedule=any", "a.cu"}), HasSubstr("any"));
  EXPECT_THAT(Refuse({"cuda", "run", "--seed=-1", "a.cu"}), HasSubstr("whole number"));
  EXPECT_THAT(Refuse({"cuda", "run", "--error-exitcode=256", "a.cu"}), HasSubstr("256"));
  EXPECT_THAT(Refuse({"cuda", "run", "a.cu", "--seed"}), HasSubstr("--seed"));
}

TEST(CudaCommandLine, HelpTeaches) {
  const auto help = ParseCommandLine({"cuda", "run", "--help"});
  ASSERT_FALSE(help.has_value());
  EXPECT_EQ(help.error().exit_code, 0);
  for (const char* const taught :
       {"assay cuda run -O3", "compute-sanitizer", "scripts/setup --cuda", "Exit codes", "h100",
        "--error-exitcode", "modelled, never measured"}) {
    EXPECT_THAT(help.error().out, HasSubstr(taught));
  }
}

class CudaCommandTest : public ::testing::Test {
 protected:
  int Run() {
    out_.str("");
    err_.str("");
    const CudaServices services{.run = [this](const gpu::CudaRunRequest& request) {
      request_ = request;
      return result_;
    }};
    return RunCuda(options_, services, console_);
  }

  static gpu::CudaRun WithFindings() {
    gpu::CudaRun run;
    run.exit_code = 3;
    run.summary.Add(gpu::SampleReport());
    return run;
  }

  CudaRunOptions options_;
  Result<gpu::CudaRun> result_ = gpu::CudaRun{};
  gpu::CudaRunRequest request_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(CudaCommandTest, PassesTheExitCodeAndLeavesStandardOutputAlone) {
  result_ = WithFindings();
  EXPECT_EQ(Run(), 3);
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), HasSubstr("Invalid __global__ read of size 4 bytes"));
  EXPECT_THAT(err_.str(), Not(HasSubstr("sectors/rq")));
  EXPECT_EQ(request_.keep, gpu::KeepLaunches::kNo);
  EXPECT_EQ(request_.library_folder.filename(), "lib");
  options_.lines = gpu::SourceLines::kShown;
  Run();
  EXPECT_THAT(err_.str(), HasSubstr("sectors/rq"));
}

TEST_F(CudaCommandTest, ErrorExitCodeIsForFindingsAlone) {
  options_.error_exit_code = 9;
  result_ = WithFindings();
  EXPECT_EQ(Run(), 9);
  result_ = gpu::CudaRun{.exit_code = 3,
                         .signal = 0,
                         .summary = {},
                         .launches = {},
                         .launches_left_out = 0,
                         .faults = {}};
  EXPECT_EQ(Run(), 3);
  gpu::LaunchReport remark;
  remark.findings = {gpu::RaceFinding()};
  remark.findings[0].severity = gpu::Severity::kInfo;
  result_->summary.Add(remark);
  EXPECT_EQ(Run(), 3);
}

TEST_F(CudaCommandTest, JsonTakesTheTextsPlaceOrAFile) {
  const TemporaryRepository folder;
  result_ = WithFindings();
  options_.common.format = OutputFormat::kJson;
  EXPECT_EQ(Run(), 3);
  EXPECT_EQ(nlohmann::json::parse(err_.str())["exit_code"], 3);
  EXPECT_EQ(request_.keep, gpu::KeepLaunches::kYes);
  options_.common.format = OutputFormat::kText;
  options_.json_file = folder.root() / "run.json";
  EXPECT_EQ(Run(), 3);
  EXPECT_THAT(err_.str(), HasSubstr("ERROR SUMMARY"));
  EXPECT_EQ(nlohmann::json::parse(ReadFile(*options_.json_file).value_or(""))["error_count"], 2);
}

TEST_F(CudaCommandTest, NothingToRunEndsWith2) {
  result_ = std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                  .where = "a.cu",
                                  .cause = "nvcc ended with 2",
                                  .remedy = "it says why above"});
  EXPECT_EQ(Run(), 2);
  EXPECT_EQ(err_.str(), "assay: a.cu: nvcc ended with 2; it says why above\n");
  options_.common.format = OutputFormat::kJson;
  EXPECT_EQ(Run(), 2);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(nlohmann::json::parse(err_.str())["errors"].size(), 1U);
}

}  // namespace
}  // namespace assay

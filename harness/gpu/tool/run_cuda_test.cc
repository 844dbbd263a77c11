// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/run_cuda.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "cudart/runtime/options.h"
#include "emulator/report/json.h"
#include "emulator/report/test_reports.h"
#include "process/interrupt.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A compiler that makes of prog.cu, a shell script, the program: it puts the text where -o says,
// and its own arguments beside prog.cu.
constexpr const char* kFakeNvcc = R"(#!/bin/sh
printf '%s\n' "$@" > "$(dirname "$0")/arguments"
while [ $# -gt 1 ]; do
  case "$1" in
    *.cu) source=$1 ;;
    -o) output=$2 ;;
  esac
  shift
done
grep -q does_not_compile "$source" && { echo "prog.cu(1): error: nonsense"; exit 3; }
cp "$source" "$1" && chmod +x "$1"
)";

// What the runtime does: a report a launch, to the descriptor of ASSAY_CUDA_OPTIONS.
constexpr const char* kHead = R"(#!/bin/sh
here=$ASSAY_TEST_FOLDER
printf '%s' "$ASSAY_CUDA_OPTIONS" > "$here/options"
fd=$(sed 's/.*"report_fd":\([0-9]*\).*/\1/' "$here/options")
launch() { cat "$here/report" > "/proc/self/fd/$fd"; }
)";

class RunCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::Create(fs::temp_directory_path(), "run-cuda-test");
    ASSERT_TRUE(folder) << ToString(folder.error());
    folder_.emplace(std::move(*folder));
    ::setenv("ASSAY_TEST_FOLDER", folder_->path().c_str(), 1);
    Write("nvcc", kFakeNvcc);
    ::chmod(Path("nvcc").c_str(), 0755);
    Write("libassay_cudart.so", "");
    Write("report", ToJsonLine(SampleReport()));
    request_.nvcc = Path("nvcc");
    request_.library_folder = folder_->path();
    request_.files = {Path("prog.cu").string()};
  }

  [[nodiscard]] fs::path Path(const std::string& name) const { return folder_->path() / name; }
  void Write(const std::string& name, const std::string& content) const {
    ASSERT_TRUE(WriteFileAtomically(Path(name), content));
  }
  [[nodiscard]] std::string Read(const std::string& name) const {
    return ReadFile(Path(name)).value_or("");
  }

  Result<CudaRun> Run(const std::string& program) {
    Write("prog.cu", kHead + program);
    return RunCuda(request_);
  }

  std::optional<TemporaryDirectory> folder_;
  CudaRunRequest request_;
};

TEST_F(RunCudaTest, ReportsAndExitCodeComeThrough) {
  request_.program_arguments = {"one", "two words"};
  request_.keep = KeepLaunches::kYes;
  const auto run = Run("launch; launch; printf '%s,' \"$@\" > $here/said; exit 7\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->exit_code, 7);
  EXPECT_EQ(run->signal, 0);
  EXPECT_EQ(run->summary.launches(), 2U);
  EXPECT_THAT(run->summary.findings(), SizeIs(2));
  EXPECT_THAT(run->launches, SizeIs(2));
  EXPECT_THAT(run->faults, IsEmpty());
  EXPECT_EQ(Read("said"), "one,two words,");
}

TEST_F(RunCudaTest, AProgramThatWentOnAfterARefusalDidNotSucceed) {
  LaunchReport refusal;
  refusal.error = 801;
  refusal.error_detail = "cudaMallocArray is not supported by the emulated GPU";
  Write("report", ToJsonLine(refusal));
  const auto run = Run("launch; exit 0\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->exit_code, kExitAfterRefusal);
  EXPECT_EQ(run->summary.finding_counts().errors, 1U);
  EXPECT_EQ(Run("launch; exit 7\n")->exit_code, 7);
  refusal.error = 2;  // The program's own matter: too much memory.
  Write("report", ToJsonLine(refusal));
  EXPECT_EQ(Run("launch; exit 0\n")->exit_code, 0);
}

TEST_F(RunCudaTest, SettingsReachTheProgram) {
  request_.settings = {.model = A100(),
                       .schedule = Schedule::kRandom,
                       .seed = 18446744073709551615ULL,
                       .checking = Checking::kOff,
                       .approximation = Approximation::kPerturbed,
                       .workers = 2,
                       .instruction_limit = 1000};
  ::setenv("ASSAY_CUDA_OPTIONS", "stale", 1);
  ASSERT_TRUE(Run("exit 0\n"));
  const auto options = runtime::FromJson(Read("options"));
  ASSERT_TRUE(options) << ToString(options.error());
  EXPECT_EQ(options->device.model.id, "a100");
  EXPECT_EQ(options->device.schedule, Schedule::kRandom);
  EXPECT_EQ(options->device.seed, 18446744073709551615ULL);
  EXPECT_EQ(options->device.checking, Checking::kOff);
  EXPECT_EQ(options->device.approximation, Approximation::kPerturbed);
  EXPECT_EQ(options->device.workers, 2U);
  EXPECT_EQ(options->device.instruction_limit, 1000U);
  EXPECT_THAT(Read("arguments"), HasSubstr("arch=compute_80,code=[sm_80,compute_80]"));
}

TEST_F(RunCudaTest, ACrashLeavesTheReportsThatCame) {
  const auto run = Run("launch; kill -SEGV $$\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->exit_code, 128 + SIGSEGV);
  EXPECT_EQ(run->signal, SIGSEGV);
  EXPECT_EQ(run->summary.launches(), 1U);
}

TEST_F(RunCudaTest, ManyLaunchesDoNotFillThePipe) {
  const auto run = Run("i=0; while [ $i -lt 200 ]; do launch; i=$((i+1)); done\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->summary.launches(), 200U);
  EXPECT_THAT(run->summary.kernels(), SizeIs(1));
}

// A child that outlives the program holds the pipe of its reports (and not our output, which would
// have ctest wait for it). A test that waited for it would run into ctest's limit.
TEST_F(RunCudaTest, WhatTheProgramLeavesBehindIsNotWaitedFor) {
  const auto run = Run("launch; sleep 600 >/dev/null 2>&1 & exit 0\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->summary.launches(), 1U);
}

TEST_F(RunCudaTest, SourcesThatDoNotCompileAreAnError) {
  const auto run = Run("does_not_compile\n");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(run.error()), AllOf(HasSubstr("prog.cu"), HasSubstr("nvcc ended with 3")));
}

TEST_F(RunCudaTest, ALibraryThatNeedNotBeThereIsNamedWhereNvccFails) {
  EXPECT_THAT(ToString(Run("does_not_compile\n").error()), Not(HasSubstr("cuBLAS")));
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"-O3", "-lcublas"}, {"-l", "cublas"}, {"--library=cublas"}}) {
    request_.nvcc_flags = flags;
    EXPECT_THAT(ToString(Run("does_not_compile\n").error()),
                HasSubstr("the emulated GPU has no cuBLAS"))
        << flags.back();
  }
}

TEST_F(RunCudaTest, FaultsOfTheRequestAreNamed) {
  request_.files = {};
  EXPECT_THAT(ToString(RunCuda(request_).error()), HasSubstr("no file to run"));
  request_.files = {"/no/such.cu"};
  EXPECT_THAT(ToString(RunCuda(request_).error()), HasSubstr("/no/such.cu: does not exist"));
  request_.files = {Path("prog.cu").string()};
  request_.nvcc_flags = {"-c"};
  EXPECT_THAT(ToString(Run("exit 0\n").error()), HasSubstr("-c leaves no program"));
  request_.nvcc_flags = {};
  request_.library_folder = "/nowhere";
  EXPECT_THAT(ToString(Run("exit 0\n").error()),
              AllOf(HasSubstr("/nowhere/libassay_cudart.so"), HasSubstr("scripts/build")));
}

TEST_F(RunCudaTest, AProgramWithoutCudaSourcesIsGivenOneThatSaysItsVersion) {
  ASSERT_TRUE(Run("exit 0\n"));
  EXPECT_THAT(Read("arguments"), Not(HasSubstr("says_version.cu")));
  Write("prog.cc", "int main() {}\n");
  request_.files = {Path("prog.cc").string()};
  std::ignore = RunCuda(request_);  // The fake compiler makes an empty program of it.
  EXPECT_THAT(Read("arguments"), AllOf(HasSubstr("prog.cc\n"), HasSubstr("/says_version.cu\n")));
}

TEST_F(RunCudaTest, ACompilerThatMakesNothingIsAnError) {
  Write("nvcc", "#!/bin/sh\nexit 0\n");
  ::chmod(Path("nvcc").c_str(), 0755);
  EXPECT_THAT(ToString(Run("exit 0\n").error()), HasSubstr("made no program"));
}

// The program is asked to stop as we are; one that does not listen is killed.
TEST_F(RunCudaTest, AnInterruptGoesToTheProgramAndKeepsItsReports) {
  const InterruptScope scope;
  const auto run = Run("trap '' TERM; launch; kill -TERM $PPID; while :; do :; done\n");
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->signal, SIGKILL);
  EXPECT_EQ(run->summary.launches(), 1U);
}

TEST_F(RunCudaTest, AnExecutableIsRunAsItIs) {
  request_.files = {"/bin/false"};
  request_.nvcc = "/no/nvcc";
  const auto run = RunCuda(request_);
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->exit_code, 1);
  EXPECT_EQ(run->summary.launches(), 0U);
}

TEST_F(RunCudaTest, NothingIsLeftInTheTemporaryFolder) {
  const fs::path temporary = Path("tmp");
  fs::create_directory(temporary);
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", temporary.c_str(), 1);
  const auto run = Run("ls \"$TMPDIR\" > $here/inside; exit 0\n");
  ::setenv("TMPDIR", saved.c_str(), 1);
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_THAT(Read("inside"), HasSubstr("assay-cuda-"));
  EXPECT_TRUE(fs::is_empty(temporary));
}

}  // namespace
}  // namespace assay::gpu

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "build/testing/tiny_challenge.h"
#include "exec/baseline_check.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// A baseline of two halves: the one in CUDA does the work.
class BaselineCheckCudaTest : public testing::Test {
 protected:
  BaselineCheckCudaTest() {
    tiny_.UseCuda();
    tiny_.Write("reference/tiny/baseline.cc", "int other() { return 1; }\n");
    tiny_.Write("reference/tiny/baseline.cu",
                "#include <cmath>\n" + std::string(TinyChallenge::kRightCuda));
    const auto install = [&](const fs::path& from, const std::string& to) {
      tiny_.Write(to, *ReadFile(from));
    };
    install(tiny_.Path("libhost.a"), "build/harness/host/libassay_host.a");
    install(tiny_.cuda_host_library, "build/harness/cudart/libassay_cuda_host.a");
    settings_.root = tiny_.Path("");
    settings_.installation.sources = tiny_.Path("");
    settings_.installation.build = tiny_.Path("build");
    settings_.answers = [](const fs::path&, SandboxLevel) { return Status(); };
    baseline_.halves = BaselineHalves::kCppAndCuda;
    baseline_.challenge.id = "tiny";
    baseline_.challenge.directory = tiny_.Path("challenge");
    baseline_.challenge.limits.build_time_limit_ms = 120'000;
  }

  Result<BaselineCheck> Check() {
    return CheckBaselines(settings_, {baseline_}, [](const std::string&) {}).front();
  }

  // An nvcc that calls the real one with an option before the others.
  void UseNvcc(const std::string& option) {
    settings_.level = SandboxLevel::kNone;
    settings_.cuda.nvcc = tiny_.Path("nvcc");
    tiny_.Write("nvcc",
                "#!/bin/sh\nexec " + InstalledCuda().nvcc.string() + " " + option + " \"$@\"\n");
    fs::permissions(settings_.cuda.nvcc, fs::perms::owner_all);
  }

  TinyChallenge tiny_;
  BaselineCheckSettings settings_;
  BaselineToCheck baseline_;
};

TEST_F(BaselineCheckCudaTest, BothHalvesAreBuiltAndKeptApartFromOneAlone) {
  const auto check = Check();
  ASSERT_TRUE(check) << ToString(check.error());
  EXPECT_EQ(check->source, BaselineCheck::Source::kMeasured);
  EXPECT_EQ(Check()->source, BaselineCheck::Source::kKept);
  baseline_.halves = BaselineHalves::kCpp;
  const auto alone = Check();  // Without its other half the function is missing.
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().cause,
              AllOf(HasSubstr("linking"), HasSubstr("undefined reference to `twice'")));
}

TEST_F(BaselineCheckCudaTest, BrokenIncludePathOfNvccIsAFailureOfTheMachine) {
  UseNvcc("-isystem /usr/include");
  const auto check = Check();
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(check.error().cause, AllOf(HasSubstr("compiling baseline.cu"),
                                         HasSubstr(settings_.cuda.nvcc.string() + " -std=c++17"),
                                         HasSubstr("math.h: No such file or directory")));
  EXPECT_THAT(check.error().remedy, HasSubstr("CUDA toolkit"));
}

TEST_F(BaselineCheckCudaTest, ChangedNvccIsCheckedAgain) {
  UseNvcc("");
  EXPECT_EQ(Check()->source, BaselineCheck::Source::kMeasured);
  UseNvcc("-w");
  EXPECT_EQ(Check()->source, BaselineCheck::Source::kMeasured);
  EXPECT_EQ(Check()->source, BaselineCheck::Source::kKept);
}

}  // namespace
}  // namespace assay

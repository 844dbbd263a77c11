// SPDX-License-Identifier: Apache-2.0
// Submissions with .cu sources: what nvcc sees, says and makes in the sandbox. The CUDA runtime is
// a few functions; gpu/server tests hosts with the real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "build/build_host.h"
#include "build/cuda_toolkit.h"
#include "build/testing/tiny_challenge.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRight = TinyChallenge::kRightCuda;

class BuildCudaTest : public testing::Test {
 protected:
  BuildCudaTest() { tiny_.UseCuda(); }

  void WriteSource(std::string_view content) const { tiny_.Write("submission/a.cu", content); }

  [[nodiscard]] BuildOutcome Build(BuildFlavor flavor = BuildFlavor::kRelease) const {
    const auto outcome = BuildHost(tiny_.Inputs(), flavor);
    EXPECT_TRUE(outcome) << ToString(outcome.error());
    return outcome.value_or(BuildOutcome{});
  }
  [[nodiscard]] SandboxedRun Run(const BuildOutcome& outcome) const {
    EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
    if (outcome.verdict != Verdict::kAccepted) {
      return {};
    }
    const auto run = tiny_.Run(outcome);
    EXPECT_TRUE(run) << ToString(run.error());
    return run.value_or(SandboxedRun{});
  }
  void ExpectCompileError(const testing::Matcher<std::string>& diagnostics) const {
    const BuildOutcome outcome = Build();
    EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
    EXPECT_THAT(outcome.diagnostics, diagnostics);
    EXPECT_THAT(outcome.diagnostics, Not(HasSubstr(tiny_.Path("").string())));
  }

  TinyChallenge tiny_;
};

TEST_F(BuildCudaTest, CudaSourceBecomesAHostThatRuns) {
  WriteSource(kRight);
  const BuildOutcome outcome = Build();
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
  EXPECT_EQ(outcome.warnings, 0);
}

TEST_F(BuildCudaTest, ReducedLevelBuildsTheSameAndNamesNoFolderOfThisMachine) {
  tiny_.tools.level = SandboxLevel::kReduced;
  WriteSource(kRight);
  EXPECT_EQ(Run(Build()).status.code_or_signal, 42);
  WriteSource("#include \"interface.h\"\nint twice(int x) { return y; }\n");
  ExpectCompileError(StartsWith("a.cu(2): error: identifier \"y\" is undefined"));
}

TEST_F(BuildCudaTest, HeadersThatTheCompilerFindsAnywayAreNotNamed) {
  EXPECT_THAT(HeaderFlags({.nvcc = "/usr/bin/nvcc", .include = "/usr/include"}), IsEmpty());
  // By another name: a toolkit that links lead to.
  const std::string link = tiny_.Path("link");
  fs::create_directory_symlink("/usr/include", link);
  EXPECT_THAT(HeaderFlags({.nvcc = "/opt/cuda/bin/nvcc", .include = link}), IsEmpty());
  EXPECT_THAT(HeaderFlags({.nvcc = "/opt/cuda/bin/nvcc", .include = "/opt/cuda/include"}),
              ElementsAre("-isystem", "/opt/cuda/include"));
}

// <cmath> of the C++ library ends in `#include_next <math.h>`: it must come before /usr/include.
TEST_F(BuildCudaTest, CppSourcesFindTheLibrarysHeadersBesideCudas) {
  WriteSource(kRight);
  tiny_.submission.sources = {"b.cc", "a.cu"};
  tiny_.Write("submission/b.cc",
              "#include <cuda_runtime_api.h>\n#include <cmath>\n#include <cstdlib>\n"
              "double later(double x) { return std::sqrt(std::abs(x)); }\n");
  EXPECT_EQ(Run(Build()).status.code_or_signal, 42);
}

TEST_F(BuildCudaTest, ToolkitIsShownWhereverItsPartsAre) {
  const auto shown = [](const CudaToolkit& toolkit) {
    std::vector<std::string> folders;
    for (const Mount& mount : CudaMounts(toolkit)) {
      if (mount.outside != "/etc/nvcc.profile") {
        folders.push_back(mount.inside.string());
      }
    }
    return folders;
  };
  EXPECT_THAT(shown({.nvcc = "/usr/bin/nvcc", .include = "/usr/include"}), IsEmpty());
  EXPECT_THAT(shown({.nvcc = "/usr/local/cuda-13.0/bin/nvcc",
                     .include = "/usr/local/cuda-13.0/targets/x86_64-linux/include"}),
              IsEmpty());
  EXPECT_THAT(shown({.nvcc = "/opt/cuda/bin/nvcc", .include = "/opt/cuda/include"}),
              ElementsAre("/opt/cuda"));
  EXPECT_THAT(shown({.nvcc = "/opt/cuda/bin/nvcc", .include = "/opt/cuda-headers/include"}),
              ElementsAre("/opt/cuda", "/opt/cuda-headers/include"));
}

TEST_F(BuildCudaTest, CudaAndCppSourcesAreOneImplementation) {
  WriteSource(kRight);
  tiny_.submission.sources = {"b.cc", "a.cu"};
  tiny_.Write("submission/b.cc",
              "#include <cuda_runtime_api.h>\nint later() { return cudaMalloc(nullptr, 0); }\n");
  EXPECT_EQ(Run(Build()).status.code_or_signal, 42);
}

TEST_F(BuildCudaTest, SubmissionWithoutCudaSourcesSeesNoCudaHeaders) {
  if (HeaderFlags(InstalledCuda()).empty()) {
    GTEST_SKIP() << "this toolkit's headers are where every compiler looks";
  }
  tiny_.submission.sources = {"b.cc"};
  tiny_.Write("submission/b.cc",
              "#include <cuda_runtime_api.h>\nint twice(int x) { return 2 * x; }\n");
  ExpectCompileError(HasSubstr("b.cc:1:10: fatal error: cuda_runtime_api.h: No such file"));
}

TEST_F(BuildCudaTest, CompileErrorOfDeviceCodeIsNamedWithItsLine) {
  WriteSource("__global__ void K(float* x) {\n  x[0] = y;\n}\n");
  ExpectCompileError(StartsWith("a.cu(2): error: identifier \"y\" is undefined"));
}

TEST_F(BuildCudaTest, CompileErrorOfTheLastPassIsShown) {
  WriteSource("__global__ void K() { asm(\"bogus.u32;\"); }\n");
  ExpectCompileError(AllOf(StartsWith("ptxas "), HasSubstr("bogus")));
}

TEST_F(BuildCudaTest, WarningsAreCountedAndAreNoErrors) {
  WriteSource("__global__ void K(float* x) { float unused; x[0] = 1; }\n" + std::string(kRight));
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.warnings, 1);
}

TEST_F(BuildCudaTest, FilesOfThisMachineAreNotThereForAnyPass) {
  tiny_.Write("secret", "expected output");
  const std::string secret = tiny_.Path("secret").string();
  WriteSource("__asm__(\".incbin \\\"" + secret + "\\\"\");\n" + std::string(kRight));
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
  EXPECT_THAT(outcome.diagnostics, HasSubstr("file not found"));
  WriteSource("#include \"" + secret + "\"\n");
  EXPECT_THAT(Build().diagnostics, HasSubstr("No such file"));
  WriteSource("#include \"/etc/passwd\"\n");
  ExpectCompileError(HasSubstr("/etc/passwd: No such file"));
}

TEST_F(BuildCudaTest, AdapterAndHostHeadersAreNotThereForTheSubmission) {
  WriteSource(
      "#if __has_include(\"/challenge/adapter.cc\") || "
      "__has_include(\"/harness/gpu/adapter/device_stream.h\")\n#error seen\n#endif\n" +
      std::string(kRight));
  EXPECT_EQ(Build().verdict, Verdict::kAccepted);
}

TEST_F(BuildCudaTest, AdapterSeesDeviceStreams) {
  tiny_.Write("challenge/adapter.cc",
              "#include \"gpu/adapter/device_stream.h\"\n#include \"interface.h\"\n"
              "int Operation(int x) { CUstream_st* none = nullptr; return twice(x) + !!none; }\n");
  WriteSource(kRight);
  EXPECT_EQ(Run(Build()).status.code_or_signal, 42);
}

TEST_F(BuildCudaTest, NamesThatLookLikeOptionsAreSources) {
  for (const std::string name : {"-ptx.cu", "a b.cu"}) {
    tiny_.submission.sources = {name};
    tiny_.Write("submission/" + name, kRight);
    const BuildOutcome outcome = Build();
    EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << name << ": " << outcome.diagnostics;
  }
}

TEST_F(BuildCudaTest, ObjectInPlaceOfASourceIsReadAsText) {
  fs::copy_file(tiny_.Path("host3.o"), tiny_.Path("submission/a.cu"));
  ExpectCompileError(Not(testing::IsEmpty()));
}

TEST_F(BuildCudaTest, DefiningAFunctionOfTheRuntimeIsAnErrorAndNoReplacement) {
  WriteSource(kRight);
  tiny_.submission.sources = {"a.cu", "b.cc"};
  tiny_.Write("submission/b.cc",
              "extern \"C\" int cudaMalloc(void** p, unsigned long) { *p = nullptr; return 0; }\n");
  ExpectCompileError(HasSubstr("multiple definition of `cudaMalloc'"));
}

TEST_F(BuildCudaTest, SanitizersReadTheHostCode) {
  WriteSource(std::string(kRight) + "// no fault\n");
  const SandboxedRun right = Run(Build(BuildFlavor::kSanitized));
  EXPECT_EQ(right.status.code_or_signal, 42) << right.output;
  WriteSource(
      "#include \"interface.h\"\n#include <cstdlib>\n__global__ void K() {}\n"
      "int twice(int x) {\n"
      "  volatile int* p = static_cast<int*>(std::malloc(4));\n  return p[x];\n}\n");
  const SandboxedRun run = Run(Build(BuildFlavor::kSanitized));
  EXPECT_FALSE(run.succeeded());
  EXPECT_THAT(run.output,
              AnyOf(HasSubstr("heap-buffer-overflow"), HasSubstr("runtime error: load of")));
}

TEST_F(BuildCudaTest, MissingNvccIsAConfigurationErrorWithARemedy) {
  WriteSource(kRight);
  for (const fs::path nvcc : {"", "/usr/bin/no-such-nvcc"}) {
    BuildInputs inputs = tiny_.Inputs();
    inputs.cuda.nvcc = nvcc;
    const auto outcome = BuildHost(inputs, BuildFlavor::kRelease);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::kConfiguration);
    EXPECT_THAT(outcome.error().remedy, HasSubstr("scripts/setup --cuda"));
  }
}

TEST_F(BuildCudaTest, MissingNvccIsNothingToASubmissionWithoutCudaSources) {
  tiny_.submission.sources = {"a.cc"};
  tiny_.WriteSource(TinyChallenge::kRight);
  BuildInputs inputs = tiny_.Inputs();
  inputs.cuda = {};
  const auto outcome = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_TRUE(outcome) << ToString(outcome.error());
  EXPECT_EQ(outcome->verdict, Verdict::kAccepted);
}

TEST(NvccVersion, IsOneShortText) {
  const auto version = NvccVersion();
  ASSERT_TRUE(version) << ToString(version.error());
  EXPECT_THAT(*version, testing::MatchesRegex("nvcc [0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace assay

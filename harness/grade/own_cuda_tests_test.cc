// SPDX-License-Identifier: Apache-2.0
// Own tests of submissions in CUDA, each with an emulated GPU in its own, sandboxed process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "build/testing/tiny_challenge.h"
#include "grade/own_tests.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A test program with a kernel of its own, that allocates, copies and waits.
constexpr std::string_view kThoroughTest =
    "#include \"interface.h\"\n"
    "#include <cstdio>\n"
    "__global__ void Fill(int* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = 2 * i;\n"
    "}\n"
    "int main() {\n"
    "  constexpr int n = 3000;\n"
    "  int* device = nullptr;\n"
    "  static int expected[n];\n"
    "  if (cudaMalloc(&device, sizeof(expected)) != cudaSuccess) return 2;\n"
    "  Fill<<<(n + 255) / 256, 256>>>(device, n);\n"
    "  if (cudaMemcpy(expected, device, sizeof(expected), cudaMemcpyDeviceToHost)) return 3;\n"
    "  cudaDeviceProp properties;\n"
    "  cudaGetDeviceProperties(&properties, 0);\n"
    "  std::puts(properties.name);\n"
    "  if (properties.major != 8) return 4;\n"
    "  for (int x : {0, 1, 7}) if (twice(x) != expected[x]) return 1;\n"
    "  return cudaFree(device);\n"
    "}\n";

std::string WithLaunches(const std::string& count) {
  std::string source(TinyChallenge::kRightCuda);
  const std::string right = "i < 2 * x";
  source.replace(source.find(right), right.size(), "i < " + count);
  return source;
}

class OwnCudaTestsTest : public testing::Test {
 protected:
  void SetUp() override {
    tiny_.UseCuda();
    tiny_.Write("submission/a.cu", TinyChallenge::kRightCuda);
    baseline_ = tiny_.MakeCudaLibrary("baseline", {TinyChallenge::kRightCuda});
    mutants_["adds_one"] = tiny_.MakeCudaLibrary("adds_one", {WithLaunches("2 * x + 1")});
    mutants_["never"] = tiny_.MakeCudaLibrary("never", {WithLaunches("0")});
    tiny_.submission.tests = {"t.cu"};
  }

  [[nodiscard]] OwnTestsEvidence Run() const {
    const auto build = BuildHost(tiny_.Inputs(), BuildFlavor::kRelease);
    EXPECT_TRUE(build) << ToString(build.error());
    EXPECT_EQ(build->verdict, Verdict::kAccepted) << build->diagnostics;
    NoProgress progress;
    const auto evidence = RunOwnTests({.build = *build,
                                       .challenge_directory = tiny_.Path("challenge"),
                                       .functions = {"twice"},
                                       .baseline_library = baseline_,
                                       .mutant_libraries = mutants_,
                                       .cuda_runtime = ASSAY_TEST_CUDA_RUNTIME,
                                       .output_directory = tiny_.Path("out"),
                                       .tools = tiny_.tools},
                                      progress);
    EXPECT_TRUE(evidence) << ToString(evidence.error());
    return evidence.value_or(OwnTestsEvidence{});
  }

  TinyChallenge tiny_;
  std::filesystem::path baseline_;
  std::map<std::string, std::filesystem::path> mutants_;
};

TEST_F(OwnCudaTestsTest, ThoroughTestKillsEveryMutant) {
  tiny_.Write("submission/t.cu", kThoroughTest);
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 1);
  EXPECT_EQ(evidence.passing_on_baseline, 1);
  EXPECT_THAT(evidence.mutants_killed, ElementsAre("adds_one", "never"));
  EXPECT_EQ(evidence.detail, "");
}

TEST_F(OwnCudaTestsTest, RunsAtTheLevelWithoutMounts) {
  tiny_.tools.level = SandboxLevel::kReduced;
  tiny_.Write("submission/t.cu", kThoroughTest);
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_baseline, 1);
  EXPECT_THAT(evidence.mutants_survived, IsEmpty()) << evidence.detail;
}

TEST_F(OwnCudaTestsTest, TestInCppMayCallTheRuntimeAndKills) {
  tiny_.Write("submission/t.cc",
              "#include <cuda_runtime_api.h>\n#include \"interface.h\"\n"
              "int main() { int n = 0; cudaGetDeviceCount(&n); return n - 1 + twice(0); }\n");
  tiny_.submission.tests = {"t.cc"};
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 1) << evidence.detail;
  EXPECT_THAT(evidence.mutants_killed, ElementsAre("adds_one"));
}

// The baseline's library holds both halves whatever the submission is made of.
TEST_F(OwnCudaTestsTest, SubmissionWithoutCudaRunsWithABaselineInCuda) {
  tiny_.WriteSource(TinyChallenge::kRight);
  tiny_.submission.sources = {"a.cc"};
  tiny_.submission.tests = {"t.cc"};
  tiny_.Write("submission/t.cc",
              "#include \"interface.h\"\nint main() { return twice(3) == 6 ? 0 : 1; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 1) << evidence.detail;
  EXPECT_EQ(evidence.passing_on_baseline, 1) << evidence.detail;
  EXPECT_THAT(evidence.mutants_killed, ElementsAre("adds_one", "never"));
}

TEST_F(OwnCudaTestsTest, KernelThatFaultsFailsItsTest) {
  tiny_.Write("submission/t.cu",
              "#include \"interface.h\"\n__global__ void Wild(int* x) { x[0] = 1; }\n"
              "int main() { Wild<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() != 0; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 0);
  EXPECT_THAT(evidence.detail, HasSubstr("t.cu fails on itself: exit code 1"));
}

TEST_F(OwnCudaTestsTest, BenchmarkInCudaRuns) {
  tiny_.submission.tests = {};
  tiny_.Write("submission/b.cu", kThoroughTest);
  tiny_.submission.benchmarks = {{.source = "b.cu", .configurations = 4}};
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_running, 3) << evidence.detail;
}

// Its kernels are then in two objects of the program.
TEST_F(OwnCudaTestsTest, SourceInCudaMayAlsoBeABenchmark) {
  tiny_.submission.tests = {};
  tiny_.Write("submission/a.cu",
              std::string(TinyChallenge::kRightCuda) +
                  "#ifdef ASSAY_PROGRAM\nint main() { return twice(3) - 6; }\n#endif\n");
  tiny_.submission.benchmarks = {{.source = "a.cu", .configurations = 2}};
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_running, 1) << evidence.detail;
}

}  // namespace
}  // namespace assay

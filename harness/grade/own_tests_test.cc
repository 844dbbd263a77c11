// SPDX-License-Identifier: Apache-2.0
#include "grade/own_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "build/testing/tiny_challenge.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OwnTestsTest : public testing::Test {
 protected:
  void SetUp() override {
    tiny_.WriteSource(TinyChallenge::kRight);
    baseline_ = tiny_.MakeLibrary("baseline", {TinyChallenge::kRight});
    for (const auto& [name, body] :
         {std::pair{"adds_one", "x + x + 1"}, std::pair{"always_zero", "0 * x"}}) {
      const std::string source =
          "#include \"interface.h\"\nint twice(int x) { return " + std::string(body) + "; }";
      mutants_[name] = tiny_.MakeLibrary(name, {source});
    }
  }

  void AddTest(const std::string& name, const std::string& body) {
    tiny_.Write("submission/" + name, "#include \"interface.h\"\n" + body);
    tiny_.submission.tests.push_back(name);
  }
  void AddBenchmark(const std::string& name, const std::string& body) {
    tiny_.Write("submission/" + name, "#include \"interface.h\"\n" + body);
    tiny_.submission.benchmarks.push_back({.source = name, .configurations = 3});
  }

  [[nodiscard]] OwnTestsEvidence Run() {
    const auto build = BuildHost(tiny_.Inputs(), BuildFlavor::kRelease);
    EXPECT_TRUE(build) << ToString(build.error());
    EXPECT_EQ(build->verdict, Verdict::kAccepted) << build->diagnostics;
    NoProgress progress;
    const auto evidence = RunOwnTests({.build = *build,
                                       .challenge_directory = tiny_.Path("challenge"),
                                       .functions = functions_,
                                       .baseline_library = baseline_,
                                       .mutant_libraries = mutants_,
                                       .cuda_runtime = {},
                                       .output_directory = tiny_.Path("out"),
                                       .tools = tiny_.tools},
                                      progress);
    EXPECT_TRUE(evidence) << ToString(evidence.error());
    return evidence.value_or(OwnTestsEvidence{});
  }

  TinyChallenge tiny_;
  std::vector<std::string> functions_ = {"twice"};
  std::filesystem::path baseline_;
  std::map<std::string, std::filesystem::path> mutants_;
};

TEST_F(OwnTestsTest, ThoroughTestKillsEveryMutant) {
  AddTest("t.cc", "int main() { return twice(3) == 6 ? 0 : 1; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.shipped, 1);
  EXPECT_EQ(evidence.passing_on_itself, 1);
  EXPECT_EQ(evidence.passing_on_baseline, 1);
  EXPECT_THAT(evidence.mutants_killed, ElementsAre("adds_one", "always_zero"));
  EXPECT_THAT(evidence.mutants_survived, IsEmpty());
  EXPECT_EQ(evidence.detail, "");
}

TEST_F(OwnTestsTest, WeakTestsKillTogetherWhatEachFinds) {
  AddTest("zero.cc", "int main() { return twice(0); }\n");
  EXPECT_THAT(Run().mutants_survived, ElementsAre("always_zero"));
  AddTest("crash.cc", "int main() { if (twice(1) == 0) __builtin_trap(); return 0; }\n");
  EXPECT_THAT(Run().mutants_killed, ElementsAre("adds_one", "always_zero"));
}

TEST_F(OwnTestsTest, NoTestsKillNothing) {
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.shipped, 0);
  EXPECT_THAT(evidence.mutants_killed, IsEmpty());
  EXPECT_THAT(evidence.mutants_survived, ElementsAre("adds_one", "always_zero"));
}

TEST_F(OwnTestsTest, TestThatOnlyItsOwnCodePassesKillsNothing) {
  tiny_.WriteSource("#include \"interface.h\"\nint twice(int x) { return x + x + (x == 99); }\n");
  AddTest("t.cc", "int main() { return twice(99) == 199 ? 0 : 1; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 1);
  EXPECT_EQ(evidence.passing_on_baseline, 0);
  EXPECT_THAT(evidence.mutants_killed, IsEmpty());
  EXPECT_THAT(evidence.detail, HasSubstr("t.cc fails on the baseline: exit code 1"));
}

TEST_F(OwnTestsTest, TestThatItsOwnCodeFailsKillsNothing) {
  tiny_.WriteSource("#include \"interface.h\"\nint twice(int x) { return 3 * x; }\n");
  AddTest(
      "t.cc",
      "#include <cstdio>\nint main() { std::puts(\"wrong\"); return twice(3) == 6 ? 0 : 1; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 0);
  EXPECT_EQ(evidence.passing_on_baseline, 1);
  EXPECT_THAT(evidence.mutants_killed, IsEmpty());
  EXPECT_THAT(evidence.detail, HasSubstr("t.cc fails on itself: exit code 1; wrong"));
}

TEST_F(OwnTestsTest, TestThatDoesNotCompileOrLinkIsNoted) {
  AddTest("broken.cc", "int main() { return thrice(3); }\n");
  AddTest("unlinked.cc", "int thrice(int);\nint main() { return thrice(3); }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.shipped, 2);
  EXPECT_EQ(evidence.passing_on_itself, 0);
  EXPECT_THAT(evidence.detail, HasSubstr("broken.cc does not compile: broken.cc: In function"));
  EXPECT_THAT(evidence.detail, HasSubstr("unlinked.cc fails on itself: does not link"));
  EXPECT_THAT(evidence.mutants_killed, IsEmpty());
}

TEST_F(OwnTestsTest, ProgramCannotTellWhatItIsLinkedWith) {
  // It would kill every mutant if it could see its own file, the libraries or its symbols.
  AddTest("spy.cc",
          "#include <dlfcn.h>\n#include <cstdio>\n#include <initializer_list>\nint main(int argc, "
          "char** argv) {\n"
          "  for (const char* path : {\"/proc/self/exe\", \"/proc/self/maps\", \"/inputs/0.o\",\n"
          "                           \"/submission/a.cc\", \"/inputs/1.a\"}) {\n"
          "    if (std::fopen(path, \"r\")) { std::puts(path); return 1; }\n  }\n"
          "  Dl_info info;\n"
          "  if (dladdr(reinterpret_cast<void*>(&twice), &info) && info.dli_sname) return 2;\n"
          "  return argc != 1 || argv[1] != nullptr;\n}\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.detail,
            "spy.cc finds none of the planted bugs: not counted as a test that passes");
  EXPECT_THAT(evidence.mutants_killed, IsEmpty());
}

// `int main() { return 0; }`, three times, scored more than a real test.
TEST_F(OwnTestsTest, ProgramThatTestsNothingIsNoTestThatPasses) {
  AddTest("nothing.cc", "int main() { return 0; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.shipped, 1);
  EXPECT_EQ(evidence.passing_on_itself, 0);
  EXPECT_EQ(evidence.passing_on_baseline, 0);
}

// 25 of 29 mutants were "killed" by programs that test nothing.
TEST_F(OwnTestsTest, ProgramsThatFailByCoinOrByTimeKillNothing) {
  mutants_.clear();
  for (int i = 0; i < 28; ++i) {  // A coin then passes on all baselines once in 30,000 times.
    mutants_["copy" + std::to_string(i)] = baseline_;
  }
  AddTest(
      "coin.cc",
      "#include <time.h>\nint main() {\n  timespec now;\n  clock_gettime(CLOCK_MONOTONIC, &now);\n"
      "  return (now.tv_nsec / 64 + twice(0)) % 2;\n}\n");
  AddTest("age.cc",
          "#include <sys/stat.h>\n#include <time.h>\nint main(int, char** argv) {\n"
          "  struct stat file;\n  if (stat(argv[0], &file) != 0) return 0;\n"
          "  return time(nullptr) - file.st_mtime < 100000 && file.st_mtim.tv_nsec % 3 != twice(0);"
          "\n}\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_THAT(evidence.mutants_killed, IsEmpty()) << evidence.detail;
}

// One assertion cost a program all its kills, and its author could not know before.
TEST_F(OwnTestsTest, NamedCheckThatFailsOnTheBaselineIsLeftOut) {
  tiny_.WriteSource("#include \"interface.h\"\nint twice(int x) { return x + x + (x == 99); }\n");
  AddTest(
      "t.cc",
      "#include <cstdio>\nint main() {\n  const bool three = twice(3) == 6, many = twice(99) == "
      "199;\n  std::printf(\"%s three\\n\", three ? \"ok\" : \"not ok\");\n"
      "  std::printf(\"%s many\\n\", many ? \"ok\" : \"not ok\");\n"
      "  return three && many ? 0 : 1;\n}\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.passing_on_itself, 1);
  EXPECT_EQ(evidence.passing_on_baseline, 1);
  EXPECT_THAT(evidence.mutants_killed, ElementsAre("adds_one", "always_zero"));
  EXPECT_THAT(evidence.detail, HasSubstr("t.cc is taken at its other checks; left out: many"));
}

// Many coins under names of their own: one of them would pass on all baselines and fail twice.
TEST_F(OwnTestsTest, NamedCoinsKillNothing) {
  mutants_.clear();
  for (int i = 0; i < 12; ++i) {
    mutants_["copy" + std::to_string(i)] = baseline_;
  }
  AddTest("coins.cc",
          "#include <cstdio>\n#include <time.h>\nint main() {\n  timespec now;\n"
          "  clock_gettime(CLOCK_MONOTONIC, &now);\n  unsigned state = now.tv_nsec + twice(0);\n"
          "  for (int i = 0; i < 2000; ++i) {\n    state = state * 1664525u + 1013904223u;\n"
          "    std::printf(\"%s coin %d\\n\", (state >> 16) % 20 == 0 ? \"not ok\" : \"ok\", i);\n"
          "  }\n  return 0;\n}\n");
  EXPECT_THAT(Run().mutants_killed, IsEmpty());
}

TEST_F(OwnTestsTest, BenchmarksThatRunCountWithTheirConfigurations) {
  AddBenchmark("good.cc",
               "int main() { return 0 * (twice(1) + twice(2) + twice(3) + twice(4)); }\n");
  AddBenchmark("bad.cc", "int main() { return 1; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_shipped, 6);
  EXPECT_EQ(evidence.benchmarks_running, 3);
  EXPECT_EQ(evidence.detail, "bad.cc does not run: exit code 1");
}

TEST_F(OwnTestsTest, ConfigurationsAreNoMoreThanTheSizesThatReachTheInterface) {
  AddBenchmark("two.cc",
               "#include <cstdio>\nint main() {\n  std::printf(\"no end of line\");\n"
               "  for (int i = 0; i < 100; ++i) std::fflush(stdout), twice(i % 2);\n}\n");
  AddBenchmark("none.cc", "int main() { return 0; }\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_running, 2);
  EXPECT_EQ(evidence.detail,
            "two.cc declares 3 configurations and calls the interface with 2 sizes\n"
            "none.cc declares 3 configurations and calls the interface with 0 sizes");
}

TEST_F(OwnTestsTest, SizesAreIntegersAndStructuresOfThemAndNoAddressesOrNumbers) {
  tiny_.Write(
      "challenge/interface.h",
      "#include <stddef.h>\nextern \"C\" {\nstruct shape { int rows, columns; };\n"
      "struct unseen;\nint twice(int x);\n"
      "void run(const shape* shape, const unseen* handle, const float* data, float scale);\n"
      "int left_out(int x);\n}\n");
  tiny_.WriteSource(std::string(TinyChallenge::kRight) +
                    "void run(const shape*, const unseen*, const float*, float) {}\n");
  functions_ = {"twice", "run", "left_out"};
  AddBenchmark("b.cc",
               "#include <initializer_list>\nint main() {\n  static float data[9];\n"
               "  for (shape s : {shape{1, 2}, shape{2, 1}, shape{1, 2}})\n"
               "    for (int i = 0; i < 9; ++i)\n"
               "      run(&s, reinterpret_cast<unseen*>(data + i), data + i, float(i));\n}\n");
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_running, 2) << evidence.detail;
}

TEST_F(OwnTestsTest, SourceMayAlsoBeAProgram) {
  tiny_.WriteSource(
      "#include \"interface.h\"\nint calls = 0;\nint helper(int x) { ++calls; return x + x; }\n"
      "int twice(int x) { return helper(x); }\n"
      "#ifdef ASSAY_PROGRAM\nint main() { return twice(2) + twice(3) - 10 + calls - 2; "
      "}\n#endif\n");
  tiny_.submission.benchmarks = {{.source = "a.cc", .configurations = 4}};
  const OwnTestsEvidence evidence = Run();
  EXPECT_EQ(evidence.benchmarks_running, 2) << evidence.detail;
}

// What a program prints in the recorder's place it may as well call. The name of a function that
// the recorder calls is nobody's to define, and no fault of the judge.
TEST_F(OwnTestsTest, ForgedSizesAndNamesGainNothing) {
  AddBenchmark("forged.cc",
               "#include <cstdio>\nint main() { std::puts(\"# assay: size 99999999999\\n"
               "# assay: size -5\\n# assay: size 7 \\n# assay: size 1\"); }\n");
  EXPECT_EQ(Run().benchmarks_running, 1);
  tiny_.WriteSource(std::string(TinyChallenge::kRight) +
                    "extern \"C\" int assay_real_twice(int x) { return x; }\n");
  EXPECT_LE(Run().benchmarks_running, 1);
}

TEST_F(OwnTestsTest, ProgramsSeeEveryHeaderOfTheSubmission) {
  tiny_.Write("submission/tests/util.h", "constexpr int kSix = 6;\n");
  tiny_.submission.headers = {"tests/util.h"};
  AddTest("tests/t.cc", "#include \"util.h\"\nint main() { return twice(3) == kSix ? 0 : 1; }\n");
  EXPECT_EQ(Run().passing_on_baseline, 1);
}

}  // namespace
}  // namespace assay

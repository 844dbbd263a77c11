// SPDX-License-Identifier: Apache-2.0
#include "build/build_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "build/testing/tiny_challenge.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRight = TinyChallenge::kRight;

class BuildHostTest : public testing::Test {
 protected:
  [[nodiscard]] BuildOutcome Build(BuildFlavor flavor = BuildFlavor::kRelease) const {
    const auto outcome = BuildHost(tiny_.Inputs(), flavor);
    EXPECT_TRUE(outcome) << ToString(outcome.error());
    return outcome.value_or(BuildOutcome{});
  }
  [[nodiscard]] SandboxedRun Run(const BuildOutcome& outcome) const {
    const auto run = tiny_.Run(outcome);
    EXPECT_TRUE(run) << ToString(run.error());
    return run.value_or(SandboxedRun{});
  }

  void ExpectCompileError(const testing::Matcher<std::string>& diagnostics) const {
    const BuildOutcome outcome = Build();
    EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
    EXPECT_THAT(outcome.diagnostics, diagnostics);
    EXPECT_THAT(outcome.diagnostics, Not(HasSubstr(tiny_.Path("").string())));
    EXPECT_LE(outcome.diagnostics.size(), 5000U);
    EXPECT_THAT(outcome.host_executable.string(), IsEmpty());
    EXPECT_FALSE(outcome.repair);
  }

  TinyChallenge tiny_;
};

TEST_F(BuildHostTest, RightSubmissionBecomesAHostThatRuns) {
  tiny_.WriteSource(kRight);
  const BuildOutcome outcome = Build();
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_EQ(outcome.warnings, 0);
  ASSERT_EQ(outcome.objects.size(), 1U);
  EXPECT_TRUE(fs::exists(outcome.objects.front().path));
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
}

TEST_F(BuildHostTest, EntryPointsThatAreMissingAreSaidOnceBeforeAnythingRuns) {
  tiny_.WriteSource(kRight);
  BuildInputs inputs = tiny_.Inputs();
  inputs.required_entry_points = {"twice", "thrice"};
  const auto some = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->verdict, Verdict::kAccepted);
  EXPECT_EQ(some->diagnostics, "required entry points are missing: thrice defined nowhere");
  tiny_.WriteSource(std::string(kRight) + "int thrice(int x) { return x; }\n");
  inputs.required_entry_points = {"thrice"};
  const auto none = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->verdict, Verdict::kCompileError);
  EXPECT_THAT(none->diagnostics, HasSubstr("thrice defined as C++: include interface.h"));
  EXPECT_EQ(none->host_executable, fs::path());
}

TEST_F(BuildHostTest, ReducedLevelBuildsTheSameAndNamesNoFolderOfThisMachine) {
  tiny_.tools.level = SandboxLevel::kReduced;
  tiny_.WriteSource(kRight);
  const BuildOutcome outcome = Build();
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
  tiny_.WriteSource("#include \"interface.h\"\ndouble twice(int x) { return x; }\n");
  ExpectCompileError(AllOf(HasSubstr("a.cc:2:"), HasSubstr("/challenge/interface.h:1")));
}

TEST_F(BuildHostTest, WarningsAreCountedAndAreNoErrors) {
  tiny_.WriteSource("#include \"interface.h\"\nint twice(int x) { int unused; return x + x; }\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.warnings, 1);
}

// One pragma took a row of the code's quality from 0 to full marks.
TEST_F(BuildHostTest, SilencedWarningsAreCountedAndSoIsTheirSilencer) {
  tiny_.Write("submission/a.h",
              "#pragma GCC system_header\ninline int f(int x) { int in_header; return x; }\n");
  tiny_.submission.headers = {"a.h"};
  tiny_.WriteSource(
      "#include \"a.h\"\n#include \"interface.h\"\n#pragma GCC diagnostic ignored \"-Wall\"\n"
      "int twice(int x) { int unused; return f(x) + x; }\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.warnings, 4);
}

TEST_F(BuildHostTest, SyntaxErrorIsNamedRelativeToTheSubmission) {
  tiny_.WriteSource("int twice(int x) { return x + }\n");
  ExpectCompileError(StartsWith("a.cc: In function"));
}

TEST_F(BuildHostTest, MissingHeaderIsACompileError) {
  tiny_.WriteSource("#include \"gone.h\"\n");
  ExpectCompileError(HasSubstr("gone.h: No such file"));
}

TEST_F(BuildHostTest, MissingFunctionIsALinkError) {
  tiny_.WriteSource("int other;\n");
  ExpectCompileError(HasSubstr("undefined reference to `twice'"));
}

TEST_F(BuildHostTest, FilesOfThisMachineAreNotThereForTheCompiler) {
  tiny_.WriteSource("#include \"/etc/passwd\"\n");
  ExpectCompileError(HasSubstr("/etc/passwd: No such file"));
}

TEST_F(BuildHostTest, FilesOfThisMachineAreNotThereForTheAssembler) {
  tiny_.Write("secret", "expected output");
  tiny_.WriteSource("__asm__(\".incbin \\\"" + tiny_.Path("secret").string() + "\\\"\");\n" +
                    std::string(kRight));
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
  EXPECT_THAT(outcome.diagnostics, HasSubstr("file not found"));
}

TEST_F(BuildHostTest, AdapterAndHostHeadersAreNotThereForTheSubmission) {
  tiny_.WriteSource(
      "#if __has_include(\"/challenge/adapter.cc\") || "
      "__has_include(\"/harness/host/adapter.h\")\n#error seen\n#endif\n" +
      std::string(kRight));
  EXPECT_EQ(Build().verdict, Verdict::kAccepted);
}

TEST_F(BuildHostTest, HeaderOfATestFolderIsNotThereForTheImplementation) {
  tiny_.Write("submission/tests/hidden.h", "");
  tiny_.Write("submission/tests/t.cc", "");
  tiny_.submission.tests = {"tests/t.cc"};
  tiny_.submission.headers = {"tests/hidden.h"};
  tiny_.WriteSource("#include \"tests/hidden.h\"\n");
  ExpectCompileError(HasSubstr("tests/hidden.h: No such file"));
}

TEST_F(BuildHostTest, CompilationThatDoesNotEndMeetsTheTimeLimit) {
  tiny_.tools.time_limit = std::chrono::seconds(2);
  tiny_.WriteSource(
      "template <int N, int M> struct Bomb {\n"
      "  static constexpr int v = Bomb<N - 1, 2 * M>::v | Bomb<N - 1, 2 * M + 1>::v;\n"
      "};\n"
      "template <int M> struct Bomb<0, M> { static constexpr int v = M; };\n"
      "int x = Bomb<28, 1>::v;\n");
  ExpectCompileError(HasSubstr("compiling a.cc took longer than the limit of 2 s"));
}

TEST_F(BuildHostTest, CompilationThatSwellsMeetsTheMemoryLimit) {
  tiny_.tools.memory_limit_bytes = std::int64_t{200} << 20;
  tiny_.WriteSource(
      "char huge[1u << 30] = {1};\nconstexpr int f() {\n"
      "  int* p[4000] = {};\n  for (auto& x : p) x = new int[100000]();\n"
      "  for (auto& x : p) delete[] x;\n  return 1;\n}\nstatic_assert(f() == 1);\n");
  ExpectCompileError(HasSubstr("compiling a.cc took more memory than the limit of 200 MiB"));
}

TEST_F(BuildHostTest, EndlessIncludeIsACompileError) {
  tiny_.WriteSource("#include __FILE__\n");
  ExpectCompileError(HasSubstr("nested"));
}

TEST_F(BuildHostTest, FloodOfWarningsIsCutAndIsNoError) {
  tiny_.tools.output_limit_bytes = 64 << 10;
  std::string flood(kRight);
  for (int i = 0; i < 3000; ++i) {
    flood += "#warning again\n";
  }
  tiny_.WriteSource(flood);
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_GT(outcome.warnings, 100);
  EXPECT_LT(outcome.warnings, 3000);
}

TEST_F(BuildHostTest, FloodOfErrorsIsCut) {
  std::string flood;
  for (int i = 0; i < 3000; ++i) {
    flood += "#error again\n";
  }
  tiny_.WriteSource(flood);
  ExpectCompileError(StartsWith("a.cc:1:2: error: #error again"));
}

TEST_F(BuildHostTest, DefiningMainCollidesWithTheHost) {
  tiny_.WriteSource(std::string(kRight) + "int main() { return 0; }\n");
  ExpectCompileError(HasSubstr("multiple definition of `main'"));
}

TEST_F(BuildHostTest, DefiningAFunctionOfTheHostIsAnErrorAndNoReplacement) {
  tiny_.WriteSource(std::string(kRight) + "extern \"C\" int host_runtime() { return 0; }\n");
  ExpectCompileError(HasSubstr("multiple definition of `host_runtime'"));
}

TEST_F(BuildHostTest, ObjectInPlaceOfASourceIsReadAsText) {
  fs::copy_file(tiny_.Path("host3.o"), tiny_.Path("submission/a.cc"));
  ExpectCompileError(Not(IsEmpty()));
}

TEST_F(BuildHostTest, SourceNamedLikeAnOptionIsASource) {
  tiny_.submission.sources = {"-fplugin=evil.cc"};
  tiny_.Write("submission/-fplugin=evil.cc", kRight);
  EXPECT_EQ(Build().verdict, Verdict::kAccepted);
}

TEST_F(BuildHostTest, HugeSourceIsRefusedBeforeItIsRead) {
  tiny_.WriteSource("");
  fs::resize_file(tiny_.Path("submission/a.cc"), std::uintmax_t{200} << 20);
  ExpectCompileError(HasSubstr("a.cc has 209715200 bytes"));
}

TEST_F(BuildHostTest, SanitizedHostOfARightSubmissionRuns) {
  tiny_.WriteSource(kRight);
  EXPECT_EQ(Run(Build(BuildFlavor::kSanitized)).status.code_or_signal, 42);
}

TEST_F(BuildHostTest, SanitizedHostFindsAnOverflow) {
  tiny_.WriteSource(
      "#include \"interface.h\"\n#include <cstdlib>\nint twice(int x) {\n"
      "  volatile int* p = static_cast<int*>(std::malloc(4));\n  return p[x];\n}\n");
  const BuildOutcome outcome = Build(BuildFlavor::kSanitized);
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  const SandboxedRun run = Run(outcome);
  EXPECT_FALSE(run.succeeded());
  // Either sanitizer may be the first to see it.
  EXPECT_THAT(run.output, AnyOf(HasSubstr("heap-buffer-overflow"),
                                HasSubstr("a.cc:5:13: runtime error: load of address")));
}

TEST_F(BuildHostTest, MissingCompilerIsAConfigurationErrorWithARemedy) {
  BuildInputs inputs = tiny_.Inputs();
  inputs.compiler = "/usr/bin/no-such-compiler";
  const auto outcome = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(outcome.error().remedy, HasSubstr("scripts/setup"));
}

// A full disk once made a compile_error of a submission that builds.
TEST_F(BuildHostTest, FailureWithoutRoomOnTheDiskIsNobodysVerdict) {
  tiny_.WriteSource("#error broken\n");
  BuildInputs inputs = tiny_.Inputs();
  inputs.tools.file_limit_bytes = std::int64_t{1} << 50;
  const auto outcome = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(outcome.error().cause, HasSubstr("MiB are free"));
}

TEST_F(BuildHostTest, BrokenAdapterIsOurFailure) {
  tiny_.Write("challenge/adapter.cc", "#error broken\n");
  tiny_.WriteSource(kRight);
  const auto outcome = BuildHost(tiny_.Inputs(), BuildFlavor::kRelease);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(outcome.error().cause, HasSubstr("#error broken"));
}

class RepairTest : public BuildHostTest {
 protected:
  void SetUp() override {
    tiny_.WriteSource("#include \"interface.h\"\nint twice(int x) { return x + y; }\n");
    tiny_.submission.patch = PatchSpec{.file = "patches/fix.patch", .reason = "y is x"};
  }
  void WritePatch(std::string_view content) const {
    tiny_.Write("submission/patches/fix.patch", content);
  }
};

constexpr std::string_view kFix =
    "--- a/a.cc\n+++ b/a.cc\n@@ -1,2 +1,2 @@\n #include \"interface.h\"\n"
    "-int twice(int x) { return x + y; }\n+int twice(int x) { return x + x; }\n";

TEST_F(RepairTest, PatchThatMakesItBuildIsARepair) {
  WritePatch(kFix);
  const BuildOutcome outcome = Build();
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  ASSERT_TRUE(outcome.repair);
  EXPECT_EQ(outcome.repair->patch, "patches/fix.patch");
  EXPECT_EQ(outcome.repair->reason, "y is x");
  EXPECT_THAT(outcome.repair->diagnostics, HasSubstr("'y' was not declared"));
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
  EXPECT_THAT(ReadFile(outcome.built.directory / "a.cc").value(), HasSubstr("x + x"));
  EXPECT_THAT(ReadFile(tiny_.submission.directory / "a.cc").value(), HasSubstr("x + y"));
}

TEST_F(RepairTest, RepairedCopyHasTheHeadersOfEveryExtension) {
  std::string includes = "#include \"interface.h\"\n";
  for (const std::string header : {"one.h", "two.hpp", "three.cuh"}) {
    tiny_.Write("submission/" + header, "\n");
    tiny_.submission.headers.push_back(header);
    includes += "#include \"" + header + "\"\n";
  }
  tiny_.WriteSource(includes + "int twice(int x) { return x + y; }\n");
  WritePatch(
      "--- a/a.cc\n+++ b/a.cc\n@@ -5 +5 @@\n"
      "-int twice(int x) { return x + y; }\n+int twice(int x) { return x + x; }\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_TRUE(outcome.repair);
}

TEST_F(RepairTest, PatchOfWhatBuildsAnywayIsNotApplied) {
  WritePatch(kFix);
  tiny_.WriteSource(kRight);
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted);
  EXPECT_FALSE(outcome.repair);
}

TEST_F(RepairTest, PatchThatDoesNotApplyLeavesTheCompileError) {
  WritePatch("--- a.cc\n+++ a.cc\n@@ -1 +1 @@\n-no such line\n+another\n");
  ExpectCompileError(
      AllOf(HasSubstr("'y' was not declared"), HasSubstr("patches/fix.patch does not apply: ")));
}

TEST_F(RepairTest, PatchThatDoesNotHelpLeavesTheCompileErrorAndSaysSo) {
  WritePatch(
      "--- a.cc\n+++ a.cc\n@@ -1,2 +1,2 @@\n #include \"interface.h\"\n"
      "-int twice(int x) { return x + y; }\n+int twice(int x) { return x + z; }\n");
  ExpectCompileError(AllOf(HasSubstr("'y' was not declared"), HasSubstr("With patches/fix.patch"),
                           HasSubstr("'z' was not declared")));
}

TEST_F(RepairTest, PatchCannotDrawInAFileThroughALink) {
  tiny_.Write("secret", std::string(kRight));
  WritePatch(
      "diff --git a/a.cc b/a.cc\ndeleted file mode 100644\n--- a/a.cc\n+++ /dev/null\n"
      "@@ -1,2 +0,0 @@\n-#include \"interface.h\"\n"
      "-int twice(int x) { return x + y; }\n"
      "diff --git a/a.cc b/a.cc\nnew file mode 120000\n--- /dev/null\n+++ b/a.cc\n"
      "@@ -0,0 +1 @@\n+" +
      tiny_.Path("secret").string() + "\n\\ No newline at end of file\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
  EXPECT_THAT(outcome.diagnostics, HasSubstr("does not apply"));
}

}  // namespace
}  // namespace assay

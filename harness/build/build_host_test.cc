// SPDX-License-Identifier: Apache-2.0
#include "build/build_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "build/run_sandboxed.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kRight =
    "#include \"interface.h\"\nint twice(int x) { return x + x; }\n";

// A challenge and a host of a few lines, so that these tests need nothing above this layer: the
// host's main exits with twice(21).
class BuildHostTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::Create(fs::temp_directory_path(), "build-test");
    ASSERT_TRUE(made) << ToString(made.error());
    directory_.emplace(std::move(*made));
    Write("challenge/interface.h", "extern \"C\" int twice(int);\n");
    Write("challenge/adapter.cc",
          "#include \"host/adapter.h\"\n#include \"interface.h\"\n"
          "int Operation(int x) { return twice(x); }\n");
    Write("harness/host/adapter.h", "#include \"wire/types.h\"\nint Operation(int);\n");
    Write("harness/wire/types.h", "#include <cstddef>\n");
    Write("host.cc",
          "int Operation(int);\nextern \"C\" int host_runtime() { return 21; }\n"
          "int main() { return Operation(host_runtime()); }\n");
    ASSERT_NO_FATAL_FAILURE(MakeHostLibrary());
    fs::create_directories(Path("out"));
    submission_.directory = Path("submission");
    submission_.sources = {"a.cc"};
    fs::create_directories(submission_.directory);
    tools_.time_limit = std::chrono::seconds(60);
  }

  [[nodiscard]] fs::path Path(const std::string& name) const { return directory_->path() / name; }
  void Write(const std::string& name, std::string_view content) const {
    ASSERT_TRUE(WriteFileAtomically(Path(name), content)) << name;
  }
  void WriteSource(std::string_view content) const { Write("submission/a.cc", content); }

  void MakeHostLibrary() const {
    for (const std::vector<std::string>& argv :
         {std::vector<std::string>{"g++", "-c", Path("host.cc"), "-o", Path("host.o")},
          std::vector<std::string>{"ar", "rc", Path("libhost.a"), Path("host.o")}}) {
      Command command;
      command.argv = argv;
      const auto ran = RunToCompletion(command);
      ASSERT_TRUE(ran) << ToString(ran.error());
      ASSERT_EQ(ran->exit.code_or_signal, 0) << ran->errors;
    }
  }

  [[nodiscard]] BuildInputs Inputs() const {
    return {.submission = submission_,
            .challenge_directory = Path("challenge"),
            .harness_directory = Path("harness"),
            .host_library = Path("libhost.a"),
            .output_directory = Path("out"),
            .tools = tools_};
  }
  [[nodiscard]] BuildOutcome Build(BuildFlavor flavor = BuildFlavor::kRelease) const {
    const auto outcome = BuildHost(Inputs(), flavor);
    EXPECT_TRUE(outcome) << ToString(outcome.error());
    return outcome.value_or(BuildOutcome{});
  }

  // How the host that was built ends.
  [[nodiscard]] SandboxedRun Run(const BuildOutcome& outcome) const {
    const Mount host{.outside = outcome.host_executable, .inside = "/host"};
    SandboxRequest request;
    request.argv = {SeenPath(tools_.level, host).string()};
    request.environment = {"ASAN_OPTIONS=detect_leaks=0"};
    request.mounts = RuntimeMounts();
    request.mounts.push_back(host);
    const auto runs = RunSandboxed(tools_.level, {request}, 1);
    EXPECT_TRUE(runs) << ToString(runs.error());
    return runs ? runs->front() : SandboxedRun{};
  }

  void ExpectCompileError(const testing::Matcher<std::string>& diagnostics) const {
    const BuildOutcome outcome = Build();
    EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
    EXPECT_THAT(outcome.diagnostics, diagnostics);
    EXPECT_THAT(outcome.diagnostics, Not(HasSubstr(directory_->path().string())));
    EXPECT_LE(outcome.diagnostics.size(), 5000U);
    EXPECT_THAT(outcome.host_executable.string(), IsEmpty());
    EXPECT_FALSE(outcome.repair);
  }

  SubmissionSpec submission_;
  ToolSettings tools_;

 private:
  std::optional<TemporaryDirectory> directory_;
};

TEST_F(BuildHostTest, RightSubmissionBecomesAHostThatRuns) {
  WriteSource(kRight);
  const BuildOutcome outcome = Build();
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_EQ(outcome.warnings, 0);
  ASSERT_EQ(outcome.objects.size(), 1U);
  EXPECT_TRUE(fs::exists(outcome.objects.front().path));
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
}

TEST_F(BuildHostTest, ReducedLevelBuildsTheSameAndNamesNoFolderOfThisMachine) {
  tools_.level = SandboxLevel::kReduced;
  WriteSource(kRight);
  const BuildOutcome outcome = Build();
  ASSERT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(Run(outcome).status.code_or_signal, 42);
  WriteSource("#include \"interface.h\"\ndouble twice(int x) { return x; }\n");
  ExpectCompileError(AllOf(HasSubstr("a.cc:2:"), HasSubstr("/challenge/interface.h:1")));
}

TEST_F(BuildHostTest, WarningsAreCountedAndAreNoErrors) {
  WriteSource("#include \"interface.h\"\nint twice(int x) { int unused; return x + x; }\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kAccepted) << outcome.diagnostics;
  EXPECT_EQ(outcome.warnings, 1);
}

TEST_F(BuildHostTest, SyntaxErrorIsNamedRelativeToTheSubmission) {
  WriteSource("int twice(int x) { return x + }\n");
  ExpectCompileError(StartsWith("a.cc: In function"));
}

TEST_F(BuildHostTest, MissingHeaderIsACompileError) {
  WriteSource("#include \"gone.h\"\n");
  ExpectCompileError(HasSubstr("gone.h: No such file"));
}

TEST_F(BuildHostTest, MissingFunctionIsALinkError) {
  WriteSource("int other;\n");
  ExpectCompileError(HasSubstr("undefined reference to `twice'"));
}

TEST_F(BuildHostTest, FilesOfThisMachineAreNotThereForTheCompiler) {
  WriteSource("#include \"/etc/passwd\"\n");
  ExpectCompileError(HasSubstr("/etc/passwd: No such file"));
}

TEST_F(BuildHostTest, FilesOfThisMachineAreNotThereForTheAssembler) {
  Write("secret", "expected output");
  WriteSource("__asm__(\".incbin \\\"" + Path("secret").string() + "\\\"\");\n" +
              std::string(kRight));
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
  EXPECT_THAT(outcome.diagnostics, HasSubstr("file not found"));
}

TEST_F(BuildHostTest, AdapterAndHostHeadersAreNotThereForTheSubmission) {
  WriteSource(
      "#if __has_include(\"/challenge/adapter.cc\") || "
      "__has_include(\"/harness/host/adapter.h\")\n#error seen\n#endif\n" +
      std::string(kRight));
  EXPECT_EQ(Build().verdict, Verdict::kAccepted);
}

TEST_F(BuildHostTest, HeaderOfATestFolderIsNotThereForTheImplementation) {
  Write("submission/tests/hidden.h", "");
  Write("submission/tests/t.cc", "");
  submission_.tests = {"tests/t.cc"};
  submission_.headers = {"tests/hidden.h"};
  WriteSource("#include \"tests/hidden.h\"\n");
  ExpectCompileError(HasSubstr("tests/hidden.h: No such file"));
}

TEST_F(BuildHostTest, CompilationThatDoesNotEndMeetsTheTimeLimit) {
  tools_.time_limit = std::chrono::seconds(2);
  WriteSource(
      "template <int N, int M> struct Bomb {\n"
      "  static constexpr int v = Bomb<N - 1, 2 * M>::v | Bomb<N - 1, 2 * M + 1>::v;\n"
      "};\n"
      "template <int M> struct Bomb<0, M> { static constexpr int v = M; };\n"
      "int x = Bomb<28, 1>::v;\n");
  ExpectCompileError(HasSubstr("compiling a.cc took longer than the limit of 2 s"));
}

TEST_F(BuildHostTest, CompilationThatSwellsMeetsTheMemoryLimit) {
  tools_.memory_limit_bytes = std::int64_t{200} << 20;
  WriteSource(
      "char huge[1u << 30] = {1};\nconstexpr int f() {\n"
      "  int* p[4000] = {};\n  for (auto& x : p) x = new int[100000]();\n"
      "  for (auto& x : p) delete[] x;\n  return 1;\n}\nstatic_assert(f() == 1);\n");
  ExpectCompileError(HasSubstr("compiling a.cc took more memory than the limit of 200 MiB"));
}

TEST_F(BuildHostTest, EndlessIncludeIsACompileError) {
  WriteSource("#include __FILE__\n");
  ExpectCompileError(HasSubstr("nested"));
}

TEST_F(BuildHostTest, FloodOfWarningsIsCutAndIsNoError) {
  tools_.output_limit_bytes = 64 << 10;
  std::string flood(kRight);
  for (int i = 0; i < 3000; ++i) {
    flood += "#warning again\n";
  }
  WriteSource(flood);
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
  WriteSource(flood);
  ExpectCompileError(StartsWith("a.cc:1:2: error: #error again"));
}

TEST_F(BuildHostTest, DefiningMainCollidesWithTheHost) {
  WriteSource(std::string(kRight) + "int main() { return 0; }\n");
  ExpectCompileError(HasSubstr("multiple definition of `main'"));
}

TEST_F(BuildHostTest, DefiningAFunctionOfTheHostIsAnErrorAndNoReplacement) {
  WriteSource(std::string(kRight) + "extern \"C\" int host_runtime() { return 0; }\n");
  ExpectCompileError(HasSubstr("multiple definition of `host_runtime'"));
}

TEST_F(BuildHostTest, ObjectInPlaceOfASourceIsReadAsText) {
  fs::copy_file(Path("host.o"), Path("submission/a.cc"));
  ExpectCompileError(Not(IsEmpty()));
}

TEST_F(BuildHostTest, SourceNamedLikeAnOptionIsASource) {
  submission_.sources = {"-fplugin=evil.cc"};
  Write("submission/-fplugin=evil.cc", kRight);
  EXPECT_EQ(Build().verdict, Verdict::kAccepted);
}

TEST_F(BuildHostTest, HugeSourceIsRefusedBeforeItIsRead) {
  WriteSource("");
  fs::resize_file(Path("submission/a.cc"), std::uintmax_t{200} << 20);
  ExpectCompileError(HasSubstr("a.cc has 209715200 bytes"));
}

TEST_F(BuildHostTest, SanitizedHostFindsAnOverflow) {
  WriteSource(
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
  BuildInputs inputs = Inputs();
  inputs.compiler = "/usr/bin/no-such-compiler";
  const auto outcome = BuildHost(inputs, BuildFlavor::kRelease);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(outcome.error().remedy, HasSubstr("scripts/setup"));
}

TEST_F(BuildHostTest, BrokenAdapterIsOurFailure) {
  Write("challenge/adapter.cc", "#error broken\n");
  WriteSource(kRight);
  const auto outcome = BuildHost(Inputs(), BuildFlavor::kRelease);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(outcome.error().cause, HasSubstr("#error broken"));
}

class RepairTest : public BuildHostTest {
 protected:
  void SetUp() override {
    BuildHostTest::SetUp();
    WriteSource("#include \"interface.h\"\nint twice(int x) { return x + y; }\n");
    submission_.patch = PatchSpec{.file = "patches/fix.patch", .reason = "y is x"};
  }
  void WritePatch(std::string_view content) const {
    Write("submission/patches/fix.patch", content);
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
  EXPECT_THAT(ReadFile(submission_.directory / "a.cc").value(), HasSubstr("x + y"));
}

TEST_F(RepairTest, PatchOfWhatBuildsAnywayIsNotApplied) {
  WritePatch(kFix);
  WriteSource(kRight);
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
  Write("secret", std::string(kRight));
  WritePatch(
      "diff --git a/a.cc b/a.cc\ndeleted file mode 100644\n--- a/a.cc\n+++ /dev/null\n"
      "@@ -1,2 +0,0 @@\n-#include \"interface.h\"\n"
      "-int twice(int x) { return x + y; }\n"
      "diff --git a/a.cc b/a.cc\nnew file mode 120000\n--- /dev/null\n+++ b/a.cc\n"
      "@@ -0,0 +1 @@\n+" +
      Path("secret").string() + "\n\\ No newline at end of file\n");
  const BuildOutcome outcome = Build();
  EXPECT_EQ(outcome.verdict, Verdict::kCompileError);
  EXPECT_THAT(outcome.diagnostics, HasSubstr("does not apply"));
}

}  // namespace
}  // namespace assay

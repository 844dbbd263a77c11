// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/fake_grade_services.h"
#include "process/run.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// grade --shard --out --attest, then merge, check and report; the grader is ours.
class ShardedGradeTest : public ::testing::Test {
 protected:
  ShardedGradeTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("build/inputs/adder.sources", "reference/adder/oracle.cc\n");
    common_.root = files_.root();
    services_ = FakeGradeServices(files_.root());
    services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
      graded_.push_back(request.submission.model);
      return EvidenceOf(request, Verdict::kAccepted);
    };
  }
  ~ShardedGradeTest() override { ::unsetenv(kAttestKeyVariable); }

  template <class Function>
  int Run(Function function) {
    out_.str("");
    err_.str("");
    graded_.clear();
    return function();
  }
  int RunGrade(GradeOptions options) {
    options.common = common_;
    return Run([&] { return assay::RunGrade(options, services_, console_); });
  }
  int RunMerge(const std::vector<fs::path>& folders, Unsigned is_unsigned = Unsigned::kTaken) {
    return Run([&] {
      return assay::RunMerge({.common = common_, .folders = folders, .is_unsigned = is_unsigned},
                             services_, console_);
    });
  }
  int RunCheck(SignedGate gate) {
    return Run([&] { return assay::RunCheck({.common = common_, .gate = gate}, console_); });
  }
  int RunReport(SignedGate gate) {
    return Run([&] {
      return assay::RunReport({.common = common_, .mode = ReportMode::kWrite, .gate = gate},
                              console_);
    });
  }

  // A key in ASSAY_ATTEST_KEY, whose signatures count.
  void TakeKey() const {
    const std::string key = (folder_.path() / "key").string();
    if (!fs::exists(key)) {
      Command command;
      command.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key};
      ASSERT_TRUE(RunToCompletion(command).has_value());
      files_.Write(".ci/allowed_signers", "ci@example.org " + *ReadFile(key + ".pub"));
    }
    ::setenv(kAttestKeyVariable, key.c_str(), 1);
  }
  int RunAttestedGrade(GradeOptions options = {}) {
    TakeKey();
    options.attesting = Attesting::kOn;
    return RunGrade(options);
  }
  [[nodiscard]] fs::path Out(const std::string& name) const { return folder_.path() / name; }

  TemporaryRepository files_;
  TemporaryDirectory folder_ = *TemporaryDirectory::Create(fs::temp_directory_path(), "out");
  CommonOptions common_;
  GradeServices services_;
  std::vector<std::string> graded_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(ShardedGradeTest, OutTakesAllThatIsWrittenAndTheCheckoutNothing) {
  const auto before = ListFiles(files_.root());
  EXPECT_EQ(RunGrade({.out = Out("a")}), 0);
  EXPECT_THAT(graded_, ElementsAre("right", "wrong"));
  EXPECT_EQ(ListFiles(files_.root()), before);
  EXPECT_FALSE(fs::exists(files_.root() / ".assay"));
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("wrote " + (Out("a") / "reports/evidence/adder/right.json").string()),
                    HasSubstr("assay merge")));
  EXPECT_EQ(RunGrade({.out = Out("a")}), 0);
  EXPECT_THAT(graded_, IsEmpty()) << "what an earlier run wrote there holds";
}

TEST_F(ShardedGradeTest, OutThatCannotBeMadeEndsWith2) {
  files_.Write("file", "");
  EXPECT_EQ(RunGrade({.out = files_.root() / "file" / "out"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--out cannot be made"));
  EXPECT_THAT(graded_, IsEmpty());
}

TEST_F(ShardedGradeTest, ShardsMergedGiveWhatOneMachineGives) {
  std::vector<std::string> all;
  for (std::size_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(RunGrade({.out = Out(std::to_string(number)),
                        .shard = Shard{.number = number, .count = 3}}),
              0);
    all.insert(all.end(), graded_.begin(), graded_.end());
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAre("right", "wrong"));
  EXPECT_EQ(RunMerge({Out("1"), Out("2"), Out("3")}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("took right/adder: accepted, not signed, from "),
                                HasSubstr("2 of 2 cells taken; assay report renders them\n")));
  EXPECT_EQ(RunReport(SignedGate::kOff), 0);
  EXPECT_EQ(RunGrade({}), 0);
  EXPECT_THAT(graded_, IsEmpty());
  EXPECT_THAT(out_.str(), Not(HasSubstr("wrote")));
}

TEST_F(ShardedGradeTest, MergeThatIsRefusedEndsWith2AndWritesNothing) {
  RunGrade({.out = Out("a")});
  const fs::path edited = Out("a") / "reports/evidence/adder/wrong.json";
  ASSERT_TRUE(WriteFileAtomically(edited, "{").has_value());
  EXPECT_EQ(RunMerge({Out("a")}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("wrong.json: not valid JSON"),
                                HasSubstr("assay: nothing was merged\n")));
  EXPECT_FALSE(fs::exists(files_.root() / "reports"));
}

// Which inputs evidence names that cannot be read, nobody knows: mended, it needs them.
TEST_F(ShardedGradeTest, MergeKeepsInputsWhileSomeEvidenceDoesNotHold) {
  RunGrade({});
  const auto inputs = ListFiles(files_.root() / "reports/evidence/inputs");
  files_.Write("reports/evidence/adder/wrong.json", "{");
  RunGrade({.cells = {"right"}, .reuse = Reuse::kNever, .out = Out("a")});
  EXPECT_EQ(RunMerge({Out("a")}), 0) << err_.str();
  EXPECT_EQ(ListFiles(files_.root() / "reports/evidence/inputs"), inputs);
}

TEST_F(ShardedGradeTest, MergeIsRefusedWhereEvidenceCannotBeListed) {
  RunGrade({.out = Out("a")});
  files_.Write("reports/evidence", "no folder");
  EXPECT_EQ(RunMerge({Out("a")}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/evidence: cannot be listed"));
}

// What came before the failure is evidence from then on, and published.
TEST_F(ShardedGradeTest, MergeThatFailsHalfWayLogsWhatItChanged) {
  RunGrade({});
  services_.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
    return EvidenceOf(request, Verdict::kWrongAnswer);
  };
  RunGrade({.reuse = Reuse::kNever, .out = Out("a")});
  // A folder, which a file is not renamed to.
  fs::remove(files_.root() / "reports/evidence/adder/wrong.json");
  files_.Write("reports/evidence/adder/wrong.json/in_the_way", "");
  EXPECT_EQ(RunMerge({Out("a")}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("wrong.json: cannot be replaced"));
  EXPECT_THAT(ReadFile(files_.root() / "reports/CHANGES.md").value_or(""),
              HasSubstr("accepted → **wrong"));
}

TEST_F(ShardedGradeTest, MergeAsJsonIsOneDocument) {
  RunGrade({.out = Out("a")});
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunMerge({Out("a")}), 0);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["cells"][0]["action"], "taken");
  EXPECT_EQ(json["cells"][0]["signature"], "not_signed");
}

TEST_F(ShardedGradeTest, SignaturesGoThroughMergeToCheckAndReport) {
  EXPECT_EQ(RunAttestedGrade({.out = Out("a")}), 0) << err_.str();
  EXPECT_EQ(RunMerge({Out("a")}, Unsigned::kRefused), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("accepted, signed by ci@example.org, from"));
  EXPECT_EQ(RunCheck(SignedGate::kEveryCell), 0);
  EXPECT_THAT(out_.str(), HasSubstr("right/adder: signed by ci@example.org\n"));
  EXPECT_EQ(RunReport(SignedGate::kEveryCell), 0);
  EXPECT_THAT(out_.str(), HasSubstr("right/adder: signed by ci@example.org\n"));
}

TEST_F(ShardedGradeTest, RequireSignedNamesEveryCellThatIsNotAndEndsWith1) {
  EXPECT_EQ(RunAttestedGrade({.cells = {"right"}}), 0);
  EXPECT_EQ(RunGrade({.cells = {"wrong"}}), 0);
  for (const bool is_check : {true, false}) {
    EXPECT_EQ(is_check ? RunCheck(SignedGate::kEveryCell) : RunReport(SignedGate::kEveryCell), 1);
    EXPECT_EQ(err_.str(),
              "assay: reports/evidence/adder/wrong.json: is not signed; grade it with assay grade "
              "--attest\n");
  }
}

TEST_F(ShardedGradeTest, RequireSignedNamesEvidenceThatDoesNotHoldToo) {
  EXPECT_EQ(RunGrade({}), 0);
  files_.Write("reports/evidence/adder/right.json", "{");
  EXPECT_EQ(RunReport(SignedGate::kEveryCell), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("right.json: not valid JSON"),
                                HasSubstr("wrong.json: is not signed")));
}

TEST_F(ShardedGradeTest, EditThatFollowsFromNothingElseIsFoundByItsSignature) {
  EXPECT_EQ(RunAttestedGrade(), 0);
  files_.Replace("reports/evidence/adder/right.json", "\"files\": 0", "\"files\": 9");
  EXPECT_EQ(RunCheck(SignedGate::kOff), 2);
  EXPECT_THAT(err_.str(), HasSubstr("right.json: its signature does not fit it"));
  EXPECT_EQ(RunReport(SignedGate::kOff), 1);
  EXPECT_THAT(err_.str(), HasSubstr("right.json: its signature does not fit it"));
  EXPECT_EQ(RunGrade({}), 0) << err_.str();
  EXPECT_THAT(graded_, ElementsAre("right"));
  EXPECT_EQ(RunCheck(SignedGate::kOff), 0);
}

TEST_F(ShardedGradeTest, RunThatSignsGradesWhatNobodySignedAndReusesTheRest) {
  EXPECT_EQ(RunGrade({}), 0);
  EXPECT_EQ(RunAttestedGrade(), 0);
  EXPECT_THAT(graded_, ElementsAre("right", "wrong"));
  EXPECT_EQ(RunAttestedGrade(), 0);
  EXPECT_THAT(graded_, IsEmpty());
}

TEST_F(ShardedGradeTest, NothingIsSignedWithoutASandbox) {
  EXPECT_EQ(RunAttestedGrade({.sandbox = SandboxLevel::kNone}), 4);
  EXPECT_THAT(err_.str(), HasSubstr("a submission could read the key"));
  EXPECT_THAT(graded_, IsEmpty());
}

TEST_F(ShardedGradeTest, AttestWithoutAKeyEndsWith2BeforeAnythingIsGraded) {
  EXPECT_EQ(RunGrade({.attesting = Attesting::kOn}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("assay: ASSAY_ATTEST_KEY: is not set"));
  EXPECT_THAT(graded_, IsEmpty());
}

}  // namespace
}  // namespace assay

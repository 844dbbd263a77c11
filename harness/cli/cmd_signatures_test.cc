// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "exec/signature_store.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A challenge with two mutants; the suite is ours.
class SignaturesCommandTest : public ::testing::Test {
 protected:
  SignaturesCommandTest() {
    files_.Write("reference/adder/baseline.cc", "// baseline\n");
    files_.Write("reference/adder/mutants/a.cc", "// a\n");
    files_.Write("reference/adder/mutants/b.cc", "// b\n");
    services_.detect_capabilities = [] {
      SandboxCapabilities capabilities;
      capabilities.level = SandboxLevel::kFull;
      return capabilities;
    };
    services_.mutant_hosts = [this](const Installation&, std::string_view) { return hosts_; };
    services_.check_stamp = [](const Installation&, const std::string&) { return Status(); };
    services_.list_cases = [](const fs::path&, const fs::path&) -> Result<std::vector<CaseSource>> {
      return std::vector<CaseSource>{{"Sum.Small", "suite.cc", 1}};
    };
    services_.run_hosts = [this](const HostRunsRequest& request, const HostRunDone& done) {
      ran_ = request.runs;
      std::vector<Result<SuiteEvidence>> results(request.runs.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        CaseEvidence failing;
        failing.name = "Sum.Small";
        failing.verdict = Verdict::kWrongAnswer;
        results[i]->cases = {failing};
        done(i);
      }
      return results;
    };
  }

  int Signatures(SignaturesMode mode, std::vector<std::string> challenges = {}) {
    out_.str("");
    err_.str("");
    ran_.clear();
    return RunSignatures({.common = common_, .challenges = std::move(challenges), .mode = mode},
                         services_, console_);
  }

  TemporaryRepository files_;
  CommonOptions common_{.root = files_.root()};
  std::map<std::string, fs::path> hosts_ = {{"a", "a_host"}, {"b", "b_host"}};
  SignatureServices services_;
  std::vector<HostRun> ran_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(SignaturesCommandTest, ComputesWhatIsMissingAndThenNothing) {
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 0);
  EXPECT_THAT(ran_, SizeIs(2 * kSignatureRuns));
  EXPECT_EQ(ran_[0].host, "a_host");
  EXPECT_EQ(out_.str(), "wrote reference/adder/signatures.json\n");
  EXPECT_THAT(err_.str(), HasSubstr("[6/6] adder: b, seed 3"));
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 0);
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_EQ(out_.str(), "adder: signatures of 2 mutants hold\n");
  EXPECT_EQ(Signatures(SignaturesMode::kComputeAll, {"adder"}), 0);
  EXPECT_THAT(ran_, SizeIs(2 * kSignatureRuns));
}

TEST_F(SignaturesCommandTest, OfAChangedFileTheSuiteIsAskedForItsCasesAlone) {
  Signatures(SignaturesMode::kUpdate);
  files_.Write("challenges/adder/suite.cc", "int changed;\n");
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 0);
  EXPECT_THAT(ran_, SizeIs(2 * kSignatureRuns));
  EXPECT_EQ(ran_[0].arguments, std::vector<std::string>{"--gtest_filter=Sum.Small"});
  EXPECT_THAT(err_.str(), HasSubstr("[7/7] adder: b, seed 3"));
  EXPECT_EQ(Signatures(SignaturesMode::kCheck), 0);
}

TEST_F(SignaturesCommandTest, WhatWasRunBeforeAnErrorIsKept) {
  for (const char* name : {"c", "d", "e", "f"}) {
    files_.Write(std::string("reference/adder/mutants/") + name + ".cc", "// a mutant\n");
    hosts_[name] = std::string(name) + "_host";
  }
  const auto run_hosts = services_.run_hosts;
  services_.run_hosts = [run_hosts](const HostRunsRequest& request, const HostRunDone& done) {
    auto results = run_hosts(request, done);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (request.runs[i].name == "e") {
        results[i]->cases.front().verdict = Verdict::kAccepted;
      }
    }
    return results;
  };
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("[18/18] adder: f, seed 3"), HasSubstr("e")));
  services_.run_hosts = run_hosts;
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 0);
  EXPECT_THAT(ran_, SizeIs(2 * kSignatureRuns));
  EXPECT_EQ(ran_[0].name, "e");
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 0);
  EXPECT_EQ(out_.str(), "adder: signatures of 6 mutants hold\n");
}

TEST_F(SignaturesCommandTest, CheckNamesWhatChangedAndEndsWith1) {
  Signatures(SignaturesMode::kUpdate);
  EXPECT_EQ(Signatures(SignaturesMode::kCheck), 0);
  EXPECT_EQ(err_.str(), "");
  files_.Write("reference/adder/mutants/b.cc", "// changed\n");
  files_.Write("challenges/adder/suite.cc", "int changed;\n");
  EXPECT_EQ(Signatures(SignaturesMode::kCheck), 1);
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("assay: reference/adder/signatures.json: of the suite changed "
                              "suite.cc; run scripts/signatures adder"),
                    HasSubstr("the baseline changed of the mutants b;")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(Signatures(SignaturesMode::kCheck), 1);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["challenges"][0]["stale"].size(), 2U);
}

TEST_F(SignaturesCommandTest, AMutantThatIsNotBuiltIsAnErrorAndNothingIsWritten) {
  hosts_.erase("b");
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 2);
  EXPECT_THAT(err_.str(), HasSubstr("the mutant b is not built; run scripts/signatures"));
  EXPECT_FALSE(fs::exists(SignaturesPath(files_.root(), "adder")));
}

TEST_F(SignaturesCommandTest, SuiteBuiltFromOtherSourcesIsNotAsked) {
  services_.check_stamp = [](const Installation&, const std::string& challenge) -> Status {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = {},
                                 .cause = "suite.cc changed since " + challenge + " was built",
                                 .remedy = {}});
  };
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 2);
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_THAT(err_.str(), HasSubstr("suite.cc changed since adder was built"));
  EXPECT_FALSE(fs::exists(SignaturesPath(files_.root(), "adder")));
}

TEST_F(SignaturesCommandTest, ASuiteThatDiesIsOurError) {
  services_.run_hosts = [](const HostRunsRequest& request, const HostRunDone&) {
    return std::vector<Result<SuiteEvidence>>(
        request.runs.size(),
        std::unexpected(Error{.where = {}, .cause = "the suite died", .remedy = {}}));
  };
  EXPECT_EQ(Signatures(SignaturesMode::kUpdate), 3);
  EXPECT_THAT(err_.str(), HasSubstr("the suite died"));
}

TEST_F(SignaturesCommandTest, UnknownChallengeSuggestsTheNearest) {
  EXPECT_EQ(Signatures(SignaturesMode::kCheck, {"addre"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"adder\"?"));
}

TEST_F(SignaturesCommandTest, ChallengeAtFaultIsNamedAndNotPassedOver) {
  Signatures(SignaturesMode::kUpdate);
  files_.Write("challenges/adder/challenge.yaml", "schema: 1\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"adder"}}) {
    EXPECT_EQ(Signatures(SignaturesMode::kCheck, words), 2);
    EXPECT_THAT(err_.str(), HasSubstr("assay: challenges/adder/challenge.yaml:"));
  }
}

TEST_F(SignaturesCommandTest, BrokenSignaturesEndReportsWith2) {
  files_.Write("reference/adder/signatures.json", "{");
  EXPECT_EQ(RunReport({.common = common_}, console_), 2);
  EXPECT_THAT(err_.str(), HasSubstr("assay: reference/adder/signatures.json: "));
}

}  // namespace
}  // namespace assay

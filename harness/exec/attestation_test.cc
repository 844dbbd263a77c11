// SPDX-License-Identifier: Apache-2.0
#include "exec/attestation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "exec/evidence_store.h"
#include "process/run.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using State = Attestation::State;

Evidence EvidenceOf(const std::string& model) {
  Evidence evidence;
  evidence.model = model;
  evidence.challenge = "adder";
  return evidence;
}

class AttestationTest : public ::testing::Test {
 protected:
  AttestationTest() {
    MakeKey("ci");
    Allow("ci@example.org namespaces=\"assay-evidence\"", "ci");
  }
  ~AttestationTest() override { ::unsetenv(kAttestKeyVariable); }

  // A key pair `name`, `name.pub` in the repository.
  void MakeKey(const std::string& name) const {
    Ssh({"-q", "-t", "ed25519", "-N", "", "-C", "", "-f", KeyPath(name)});
  }
  [[nodiscard]] std::string KeyPath(const std::string& name) const {
    return (files_.root() / name).string();
  }
  [[nodiscard]] std::string Read(const fs::path& path) const {
    return ReadFile(path).value_or("(cannot be read)");
  }
  void Allow(const std::string& line, const std::string& key) const {
    files_.Write(".ci/allowed_signers", line + " " + Read(KeyPath(key + ".pub")));
  }

  static void Ssh(std::vector<std::string> arguments, const std::string& input = "") {
    Command command;
    command.argv = {"ssh-keygen"};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.input = input;
    const auto ran = RunToCompletion(command);
    ASSERT_TRUE(ran.has_value() && ran->exit.code_or_signal == 0) << (ran ? ran->errors : "");
  }

  Result<Attester> FromKey(const std::string& value) const {
    ::setenv(kAttestKeyVariable, value.c_str(), 1);
    return Attester::FromEnvironment(files_.root());
  }
  // Evidence of `model`, saved and signed by the key `name`, whoever may sign.
  void SaveSigned(const std::string& model, const std::string& name = "ci") const {
    ASSERT_TRUE(SaveEvidence(files_.root(), EvidenceOf(model)).has_value());
    const std::string signers = Read(AllowedSignersPath(files_.root()));
    fs::remove(AllowedSignersPath(files_.root()));
    const auto attester = FromKey(KeyPath(name));
    ASSERT_TRUE(attester.has_value()) << ToString(attester.error());
    ASSERT_TRUE(attester->Sign(files_.root(), EvidenceOf(model)).has_value());
    files_.Write(".ci/allowed_signers", signers);
  }
  [[nodiscard]] Attestation Of(const Evidence& evidence) const {
    const auto read = ReadAttestation(files_.root(), files_.root(), evidence);
    EXPECT_TRUE(read.has_value());
    return read.value_or(Attestation{});
  }
  [[nodiscard]] fs::path SignatureOf(const std::string& model) const {
    return AttestationPath(EvidencePath(files_.root(), {model, "adder"}));
  }

  TemporaryRepository files_;
};

TEST_F(AttestationTest, SaysWhoSigned) {
  SaveSigned("right");
  EXPECT_EQ(ToString(Of(EvidenceOf("right"))), "signed by ci@example.org");
  EXPECT_EQ(ToString(Of(EvidenceOf("wrong"))), "not signed");
}

TEST_F(AttestationTest, AnyEditIsFound) {
  SaveSigned("right");
  Evidence edited = EvidenceOf("right");
  edited.suite.metrics["tensors_saved"] = 1;  // Follows from nothing else.
  EXPECT_EQ(Of(edited).state, State::kRefused);
  EXPECT_THAT(Of(edited).reason, HasSubstr("does not fit"));
}

TEST_F(AttestationTest, KeyAsTextSignsLikeItsFileAndIsGoneFromTheEnvironment) {
  ASSERT_TRUE(SaveEvidence(files_.root(), EvidenceOf("right")).has_value());
  std::string key = Read(KeyPath("ci"));
  key.pop_back();  // Variables of CI come without the last line break.
  const auto attester = FromKey(key);
  ASSERT_TRUE(attester.has_value()) << ToString(attester.error());
  EXPECT_EQ(std::getenv(kAttestKeyVariable), nullptr);
  ASSERT_TRUE(attester->Sign(files_.root(), EvidenceOf("right")).has_value());
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kSigned);
}

TEST_F(AttestationTest, KeyThatCannotSignIsRefusedAndNeverShown) {
  EXPECT_THAT(ToString(FromKey("").error()), HasSubstr("ASSAY_ATTEST_KEY: is not set"));
  const std::string secret = "b3BlbnNzaC1rZXktdjEAAAAA";
  EXPECT_THAT(ToString(FromKey(secret).error()),
              AllOf(HasSubstr("neither the path of a file"), Not(HasSubstr(secret))));
  const std::string broken = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + secret + "\n";
  EXPECT_THAT(ToString(FromKey(broken).error()),
              AllOf(HasSubstr("does not sign with"), Not(HasSubstr(secret))));
  Ssh({"-q", "-p", "-N", "passphrase", "-f", KeyPath("ci")});
  EXPECT_THAT(ToString(FromKey(KeyPath("ci")).error()), HasSubstr("does not sign with"));
}

TEST_F(AttestationTest, KeyThatWouldNotCountIsRefusedBeforeAnythingIsGraded) {
  MakeKey("other");
  const auto attester = FromKey(KeyPath("other"));
  ASSERT_FALSE(attester.has_value());
  EXPECT_THAT(ToString(attester.error()),
              AllOf(HasSubstr("would not count"), HasSubstr("to .ci/allowed_signers")));
}

TEST_F(AttestationTest, SignatureOfAKeyThatDoesNotCountIsRefused) {
  MakeKey("other");
  SaveSigned("right", "other");
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kRefused);
}

TEST_F(AttestationTest, SignatureOfAnotherFileIsRefused) {
  SaveSigned("right");
  SaveSigned("wrong");
  fs::copy_file(SignatureOf("right"), SignatureOf("wrong"), fs::copy_options::overwrite_existing);
  EXPECT_EQ(Of(EvidenceOf("wrong")).state, State::kRefused);
}

TEST_F(AttestationTest, SignatureForAnotherPurposeIsRefused) {
  SaveSigned("right");
  Allow("ci@example.org", "ci");  // For anything.
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kSigned);
  const fs::path file = EvidencePath(files_.root(), {"right", "adder"});
  fs::remove(SignatureOf("right"));
  Ssh({"-q", "-Y", "sign", "-n", "git", "-f", KeyPath("ci"), file.string()});
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kRefused);
}

TEST_F(AttestationTest, ExpiredKeyCountsNoMore) {
  SaveSigned("right");
  Allow("ci@example.org valid-before=\"20200101\"", "ci");
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kRefused);
}

TEST_F(AttestationTest, FileThatIsNoSignatureIsRefused) {
  const fs::path signature = SignatureOf("right");
  files_.Write("reports/evidence/adder/right.json.sig", std::string(1 << 20, 'x'));
  EXPECT_THAT(Of(EvidenceOf("right")).reason, HasSubstr("is larger than"));
  files_.Write("reports/evidence/adder/right.json.sig", "hello\n");
  EXPECT_THAT(Of(EvidenceOf("right")).reason, HasSubstr("none of ssh"));
  files_.Write("reports/evidence/adder/right.json.sig",
               "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n");
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kRefused);
  fs::remove(signature);
  fs::create_symlink("/dev/zero", signature);
  EXPECT_THAT(Of(EvidenceOf("right")).reason, HasSubstr("no regular file"));
}

TEST_F(AttestationTest, WithoutAllowedSignersNobodyIsBelieved) {
  SaveSigned("right");
  fs::remove(AllowedSignersPath(files_.root()));
  EXPECT_EQ(Of(EvidenceOf("right")).state, State::kNotSigned);
  EXPECT_THAT(Of(EvidenceOf("right")).reason, HasSubstr("no .ci/allowed_signers"));
}

TEST_F(AttestationTest, NewEvidenceTakesAnOldSignatureAway) {
  SaveSigned("right");
  ASSERT_TRUE(SaveEvidence(files_.root(), EvidenceOf("right")).has_value());
  EXPECT_FALSE(fs::exists(SignatureOf("right")));
}

}  // namespace
}  // namespace assay

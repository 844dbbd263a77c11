// SPDX-License-Identifier: Apache-2.0
#include "exec/attestation.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "evidence/json.h"
#include "process/executable.h"
#include "process/retry.h"
#include "process/run.h"
#include "spec/repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrial = "a trial";
constexpr std::string_view kBegin = "-----BEGIN SSH SIGNATURE-----";

// Memory of mode 0600, as ssh-keygen wants a key, that it opens by PathOf.
Result<UniqueFd> HoldInMemory(std::string_view text) {
  UniqueFd file(::memfd_create("assay-attestation", MFD_CLOEXEC));
  const bool is_whole = file && ::fchmod(file.get(), S_IRUSR | S_IWUSR) == 0 &&
                        RetryOnEintr([&] {
                          return ::write(file.get(), text.data(), text.size());
                        }) == static_cast<ssize_t>(text.size());
  if (!is_whole) {
    return std::unexpected(SystemError("hold a file in memory", errno));
  }
  return file;
}

std::string PathOf(const UniqueFd& file) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
}

Error Unusable(std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = kAttestKeyVariable,
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

// The last line of what ssh-keygen says, short and printable: names of a hostile file stand in it.
std::string LastWords(const CommandResult& result) {
  const std::vector<std::string> lines = SplitLines(result.errors + result.output);
  std::string words = lines.empty() ? "" : lines.back();
  std::ranges::replace_if(words, [](char c) { return c < ' ' || c > '~'; }, '?');
  constexpr std::size_t kLongest_bytes = 200;
  words.resize(std::min(words.size(), kLongest_bytes));
  return words;
}

Result<CommandResult> RunSshKeygen(std::vector<std::string> arguments, std::string_view input) {
  const auto program = FindExecutable("ssh-keygen");
  if (!program) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "ssh-keygen",
                                 .cause = "is not there: signatures need it",
                                 .remedy = "install the package openssh-client"});
  }
  Command command;
  command.argv = {program->string(), "-Y"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  // It asks nobody for a passphrase: it fails.
  command.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin", "SSH_ASKPASS=/bin/false",
                         "SSH_ASKPASS_REQUIRE=force"};
  command.input = input;
  command.time_limit = std::chrono::seconds(30);
  return RunToCompletion(command);
}

Attestation Refused(std::string reason) {
  return {.state = Attestation::State::kRefused, .signer = {}, .reason = std::move(reason)};
}

// The signature's text; or, in `why`, that ssh-keygen shall not see it.
std::string ReadSignature(const fs::path& signature, std::string& why) {
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(signature, failure))) {
    why = "its signature is no regular file";
    return "";
  }
  const auto text = ReadFile(signature, kLargestAttestation_bytes);
  if (!text) {
    why = "its signature " + text.error().cause;
  } else if (!text->starts_with(kBegin)) {
    why = "its signature is none of ssh";
  }
  return text.value_or("");
}

// Whom the allowed signers name for the key that made `signature`, one a line.
Result<std::vector<std::string>> Principals(const fs::path& signers, const std::string& signature,
                                            std::string& why_none) {
  ASSAY_ASSIGN_OR_RETURN(
      const CommandResult found,
      RunSshKeygen({"find-principals", "-s", signature, "-f", signers.string()}, ""));
  if (!found.Succeeded()) {
    why_none = LastWords(found);
    return std::vector<std::string>();
  }
  return SplitLines(found.output);
}

Result<Attestation> Verify(const fs::path& signers, std::string_view signature,
                           std::string_view text) {
  ASSAY_ASSIGN_OR_RETURN(const UniqueFd held, HoldInMemory(signature));
  const std::string path = PathOf(held);
  std::string why;
  ASSAY_ASSIGN_OR_RETURN(const auto principals, Principals(signers, path, why));
  if (principals.empty()) {
    return Refused(
        fmt::format("its key is not one that .ci/allowed_signers lets sign now ({})", why));
  }
  for (const std::string& principal : principals) {
    ASSAY_ASSIGN_OR_RETURN(const CommandResult verified,
                           RunSshKeygen({"verify", "-f", signers.string(), "-I",
                                         principal.substr(0, principal.find(',')), "-n",
                                         std::string(kAttestationNamespace), "-s", path},
                                        text));
    if (verified.Succeeded()) {
      return Attestation{.state = Attestation::State::kSigned, .signer = principal, .reason = {}};
    }
    why = LastWords(verified);
  }
  return Refused(fmt::format("its signature does not fit it ({})", why));
}

// The variable's value. It is wiped where it stood, so that /proc/<pid>/environ has it no more.
std::string TakeVariable() {
  char* const value = std::getenv(kAttestKeyVariable);
  if (value == nullptr) {
    return "";
  }
  std::string taken = value;
  ::explicit_bzero(value, taken.size());
  ::unsetenv(kAttestKeyVariable);
  return taken;
}

}  // namespace

fs::path AllowedSignersPath(const fs::path& root) { return root / ".ci" / "allowed_signers"; }

fs::path AttestationPath(const fs::path& evidence_file) { return evidence_file.string() + ".sig"; }

std::string ToString(const Attestation& attestation) {
  switch (attestation.state) {
    case Attestation::State::kSigned:
      return "signed by " + attestation.signer;
    case Attestation::State::kRefused:
      return "refused: " + attestation.reason;
    case Attestation::State::kNotSigned:
      break;
  }
  return attestation.reason.empty() ? "not signed" : "not signed: " + attestation.reason;
}

std::string_view ToString(Attestation::State state) {
  switch (state) {
    case Attestation::State::kSigned:
      return "signed";
    case Attestation::State::kRefused:
      return "refused";
    case Attestation::State::kNotSigned:
      break;
  }
  return "not_signed";
}

Result<Attestation> ReadAttestation(const fs::path& root, const fs::path& evidence_root,
                                    const Evidence& evidence) {
  const fs::path signature =
      AttestationPath(EvidencePath(evidence_root, {evidence.model, evidence.challenge}));
  ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(signature));
  if (!is_there) {
    return Attestation{};
  }
  const fs::path signers = AllowedSignersPath(root);
  std::error_code failure;
  if (!fs::is_regular_file(signers, failure)) {
    return Attestation{.state = Attestation::State::kNotSigned,
                       .signer = {},
                       .reason = "there is no .ci/allowed_signers to check its signature by"};
  }
  std::string why;
  const std::string text = ReadSignature(signature, why);
  return why.empty() ? Verify(signers, text, EvidenceToJson(evidence))
                     : Result<Attestation>(Refused(std::move(why)));
}

Result<Attester> Attester::FromEnvironment(const fs::path& root) {
  std::string value = TakeVariable();
  if (value.empty()) {
    return std::unexpected(
        Unusable("is not set, and --attest needs a key",
                 "set it to the path of a private key of ssh, or to the key's text"));
  }
  std::error_code failure;
  UniqueFd held;
  std::string path;
  if (value.find("-----BEGIN") != std::string::npos) {
    std::erase(value, '\r');
    value += '\n';  // Variables of CI lose it, and ssh-keygen insists.
    ASSAY_ASSIGN_OR_RETURN(held, HoldInMemory(value));
    ::explicit_bzero(value.data(), value.size());
    path = PathOf(held);
  } else if (fs::is_regular_file(value, failure)) {
    path = fs::absolute(value, failure).string();
  } else {
    // The value is not shown: it may be a key that lost its first line.
    return std::unexpected(Unusable("is neither the path of a file nor a private key",
                                    "set it to the path of a private key of ssh, or to its text"));
  }
  Attester attester(std::move(path), std::move(held));
  ASSAY_ASSIGN_OR_RETURN(const std::string trial, attester.Signature(kTrial));
  if (const fs::path signers = AllowedSignersPath(root); fs::is_regular_file(signers, failure)) {
    ASSAY_ASSIGN_OR_RETURN(const Attestation read, Verify(signers, trial, kTrial));
    if (read.state != Attestation::State::kSigned) {
      return std::unexpected(
          Unusable("holds a key whose signatures would not count: " + read.reason,
                   "add its public key to .ci/allowed_signers"));
    }
  }
  return attester;
}

Result<std::string> Attester::Signature(std::string_view text) const {
  ASSAY_ASSIGN_OR_RETURN(
      CommandResult done,
      RunSshKeygen({"sign", "-f", key_path_, "-n", std::string(kAttestationNamespace)}, text));
  if (!done.Succeeded() || !done.output.starts_with(kBegin)) {
    return std::unexpected(Unusable(
        fmt::format("holds a key that ssh-keygen does not sign with ({})", LastWords(done)),
        "make one with ssh-keygen -t ed25519 -N '' -f KEY; a passphrase cannot be asked for"));
  }
  return std::move(done.output);
}

Status Attester::Sign(const fs::path& root, const Evidence& evidence) const {
  ASSAY_ASSIGN_OR_RETURN(const std::string signature, Signature(EvidenceToJson(evidence)));
  return WriteFileAtomically(
      AttestationPath(EvidencePath(root, {evidence.model, evidence.challenge})), signature);
}

}  // namespace assay

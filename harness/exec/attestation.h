// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_ATTESTATION_H_
#define ASSAY_EXEC_ATTESTATION_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/unique_fd.h"
#include "evidence/evidence.h"

namespace assay {

/// Who wrote evidence: a signature of ssh-keygen beside it, `<model>.json.sig`, over its bytes, in
/// the namespace `assay-evidence`. Whose keys count says `.ci/allowed_signers` of the repository
/// (ssh-keygen(1), "ALLOWED SIGNERS").
inline constexpr std::string_view kAttestationNamespace = "assay-evidence";
inline constexpr std::size_t kLargestAttestation_bytes = std::size_t{16} << 10;
inline constexpr const char* kAttestKeyVariable = "ASSAY_ATTEST_KEY";

[[nodiscard]] std::filesystem::path AllowedSignersPath(const std::filesystem::path& root);
/// Of evidence at `evidence_file`.
[[nodiscard]] std::filesystem::path AttestationPath(const std::filesystem::path& evidence_file);

struct Attestation {
  enum class State {
    kSigned,     ///< By `signer`, whose key counts, over these very bytes.
    kNotSigned,  ///< Nothing is there, or nothing to check it by.
    kRefused,    ///< A signature is there and does not hold.
  };
  State state = State::kNotSigned;
  std::string signer = {};  ///< As the allowed signers name it.
  std::string reason = {};  ///< Why it is not signed, or does not hold.
  bool operator==(const Attestation&) const = default;
};

/// "signed by ci@example.org", "not signed: …".
[[nodiscard]] std::string ToString(const Attestation& attestation);
/// "signed", "not_signed", "refused".
[[nodiscard]] std::string_view ToString(Attestation::State state);

/// Checks the signature beside the evidence of its cell below `evidence_root`, by the allowed
/// signers of the repository `root`. What is checked is `evidence` as it was read, so that nothing
/// can change in between. The signature may be hostile: a link, a folder or a huge file is refused.
/// An error (kind kConfiguration) where ssh-keygen is needed and missing.
[[nodiscard]] Result<Attestation> ReadAttestation(const std::filesystem::path& root,
                                                  const std::filesystem::path& evidence_root,
                                                  const Evidence& evidence);

/// Signs evidence. The key is in no command line, no message and, where it came as text, in no
/// file: it lies in memory that ssh-keygen opens by way of this process.
class Attester {
 public:
  /// The key is that of the environment's ASSAY_ATTEST_KEY: the path of a private key, or its text.
  /// Takes the variable out of the environment, so that nothing that is started inherits it. Signs
  /// once to see that the key can; where `root` has allowed signers, the key must be one of them.
  [[nodiscard]] static Result<Attester> FromEnvironment(const std::filesystem::path& root);

  /// Writes the signature beside the evidence that SaveEvidence wrote below `root`.
  [[nodiscard]] Status Sign(const std::filesystem::path& root, const Evidence& evidence) const;

 private:
  Attester(std::string key_path, UniqueFd key)
      : key_path_(std::move(key_path)), key_(std::move(key)) {}
  [[nodiscard]] Result<std::string> Signature(std::string_view text) const;

  std::string key_path_;
  UniqueFd key_;  ///< Of a key that came as text; key_path_ leads to it.
};

}  // namespace assay

#endif  // ASSAY_EXEC_ATTESTATION_H_

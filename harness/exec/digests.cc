// SPDX-License-Identifier: Apache-2.0
#include "exec/digests.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/digest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool IsProseOrTest(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".md") || name.ends_with("_test.cc");
}

bool CountsInChallenge(const fs::path& path) {
  return !IsProseOrTest(path) && path != "rubric.yaml";
}

bool CountsInReference(const fs::path& path) {
  return !IsProseOrTest(path) && *path.begin() != "controls" && path != "signatures.json" &&
         path != "kept_seeds";
}

bool CountsInHarness(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kAboveEvidence = {"score", "report", "exec", "cli"};
  return !IsProseOrTest(path) &&
         std::ranges::find(kAboveEvidence, path.begin()->string()) == kAboveEvidence.end();
}

}  // namespace

Result<Digests> DigestReader::Read(const SubmissionSpec& submission) {
  Digests digests;
  ASSAY_ASSIGN_OR_RETURN(digests.submission, DigestTree(submission.directory));
  std::string& challenge = challenges_[submission.challenge];
  if (challenge.empty()) {
    ASSAY_ASSIGN_OR_RETURN(
        challenge, DigestTree(root_ / "challenges" / submission.challenge, CountsInChallenge));
  }
  std::string& reference = references_[submission.challenge];
  if (reference.empty()) {
    ASSAY_ASSIGN_OR_RETURN(
        reference, DigestTree(root_ / "reference" / submission.challenge, CountsInReference));
  }
  if (!harness_) {
    ASSAY_ASSIGN_OR_RETURN(harness_, DigestTree(root_ / "harness", CountsInHarness));
  }
  digests.challenge = challenge;
  digests.reference = reference;
  digests.harness = *harness_;
  return digests;
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "reference_test_support.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "build/cuda_toolkit.h"
#include "sandbox/capabilities.h"
#include "score/diagnosis.h"

namespace assay {

namespace fs = std::filesystem;

fs::path ReferenceUnderTest::Directory() const {
  return installation.root / "reference" / challenge;
}

fs::path ReferenceUnderTest::TemporaryRoot() const {
  return installation.build / "reference" / challenge / "tmp";
}

ChallengeSpec ChallengeUnderTest(const ReferenceUnderTest& reference) {
  const fs::path directory = reference.installation.ChallengeDirectory(reference.challenge);
  Checked<ChallengeSpec> challenge = ReadChallenge(directory);
  if (!challenge) {
    throw std::runtime_error(ToString(challenge.error().front()));
  }
  return *std::move(challenge);
}

SandboxLevel LevelUnderTest() {
  static const SandboxLevel level = DetectCapabilities().level;
  return level;
}

std::uint64_t SeedUnderTest() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("ASSAY_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10)
                            : std::uint64_t{std::random_device()()};
  }();
  return seed;
}

std::vector<std::string> NamesIn(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> BuiltMutants(const ReferenceUnderTest& reference) {
  const bool has_nvcc = !InstalledCuda().nvcc.empty();
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(reference.Directory() / "mutants")) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cc" || (extension == ".cu" && has_nvcc)) {
      names.push_back(entry.path().stem().string());
    }
  }
  return names;
}

std::string Column(std::string_view text, std::size_t width) {
  std::string column(text.substr(0, width));
  for (char& letter : column) {
    if (letter < ' ' || letter > '~') {
      letter = ' ';
    }
  }
  return column;
}

FailedCases CountFailed(const SuiteEvidence& suite) {
  FailedCases failed;
  for (const CaseEvidence& one : suite.cases) {
    if (IsGatingFailure(one) && ++failed.count == 1) {
      failed.first = one.name;
      failed.detail = one.detail;
    }
  }
  return failed;
}

}  // namespace assay

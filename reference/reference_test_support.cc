// SPDX-License-Identifier: Apache-2.0
#include "reference_test_support.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "build/cuda_toolkit.h"
#include "exec/mutant_homes.h"
#include "exec/signature_store.h"
#include "sandbox/capabilities.h"
#include "score/diagnosis.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

template <class T>
T ValueOf(Checked<T> checked) {
  return checked ? *std::move(checked)
                 : throw std::runtime_error(ToString(checked.error().front()));
}

/// What the environment says, unless that is nothing.
std::string_view Setting(const char* variable, std::string_view otherwise) {
  const char* const given =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it.
  return given == nullptr || *given == '\0' ? otherwise : given;
}

std::uint64_t NumberOf(const char* variable, std::string_view otherwise) {
  const std::string_view text = Setting(variable, otherwise);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error(std::string(variable) + " is no number of 64 bits");
  }
  return number;
}

}  // namespace

fs::path ReferenceUnderTest::Directory() const {
  return installation.sources / "reference" / challenge;
}

fs::path ReferenceUnderTest::TemporaryRoot() const {
  return installation.build / "reference" / challenge / "tmp";
}

ChallengeSpec ChallengeUnderTest(const ReferenceUnderTest& reference) {
  return ValueOf(ReadChallenge(reference.installation.ChallengeDirectory(reference.challenge)));
}

ChallengeView ViewUnderTest(const ReferenceUnderTest& reference) {
  const fs::path& root = reference.installation.sources;
  ChallengeView view{.spec = ChallengeUnderTest(reference), .rubric = {}};
  view.rubric = ValueOf(ReadRubric(view.spec));
  auto signatures = LoadSignatures(root, reference.challenge);
  if (!signatures) {
    throw std::runtime_error(ToString(signatures.error()));
  }
  view.signatures = *std::move(signatures);
  view.homes = ValueOf(LoadMutantHomes(root, view.rubric, view.signatures));
  return view;
}

SandboxLevel LevelUnderTest() {
  static const SandboxLevel level = DetectCapabilities().level;
  return level;
}

std::string_view ToString(Extent extent) {
  return extent == Extent::kAll ? "all cases" : "chosen cases";
}

Extent ExtentUnderTest() {
  const std::string_view extent = Setting("ASSAY_TEST_EXTENT", "chosen");
  if (extent != "all" && extent != "chosen") {
    throw std::runtime_error("ASSAY_TEST_EXTENT is neither all nor chosen");
  }
  return extent == "all" ? Extent::kAll : Extent::kChosen;
}

std::uint64_t SeedUnderTest() {
  // Of the seeds that signatures are made with, so that chosen cases fail as they say.
  return NumberOf("ASSAY_TEST_SEED", "1");
}

std::uint64_t SeedCountUnderTest() {
  return NumberOf("ASSAY_TEST_SEEDS", ExtentUnderTest() == Extent::kAll ? "100" : "0");
}

std::vector<std::string> FoldersIn(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.is_directory()) {
      names.push_back(entry.path().filename());
    }
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

void FailLike(Verdict verdict, const FailureKind& kind, CaseEvidence& one) {
  one.verdict = verdict;
  one.failing_operation.reset();
  if (!kind.operation.empty()) {
    one.failing_operation = kind.operation;
  }
  one.failing_output.reset();
  if (!kind.output.empty()) {
    one.failing_output = kind.output;
  }
  one.error_over_bound.reset();
  if (kind.decade != FailureKind::kNoDecade) {
    one.error_over_bound = 2 * std::pow(10.0, kind.decade);
  }
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

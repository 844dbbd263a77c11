// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever the YAML files of a repository hold, they are read, or their faults are a
// short list of short lines that a terminal shows as they are; twice the same.
//
// Input: a byte that chooses the file, and the file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "fuzz/fuzz_input.h"
#include "spec/repository.h"
#include "spec/temporary_repository.h"
#include "spec/unicode.h"
#include "spec/yaml.h"

namespace assay {
namespace {

using fuzz::Require;

constexpr std::array<std::string_view, 4> kFiles = {
    "challenges/adder/challenge.yaml", "challenges/adder/rubric.yaml",
    "submissions/right/model.yaml", "submissions/right/adder/submission.yaml"};
constexpr std::size_t kLongestLine_bytes = 1000;

struct Counts {
  std::size_t nodes = 0;
  int depth = 0;
};
void Count(const YamlNode& node, int depth, Counts& counts) {
  ++counts.nodes;
  counts.depth = std::max(counts.depth, depth);
  for (const YamlNode& child : node.children) {
    Count(child, depth + 1, counts);
  }
}

void CheckFaults(const Errors& faults) {
  Require(faults.size() <= kMostFaults + 1, "faults are limited");
  for (const Error& fault : faults) {
    Require(!fault.where.empty() && !fault.cause.empty() && !fault.remedy.empty(),
            "a fault has a place, a cause and a remedy");
    for (const std::string* text : {&fault.where, &fault.cause, &fault.remedy}) {
      Require(text->size() <= kLongestLine_bytes, "a fault is short");
      Require(!FindBadCharacter(*text), "a fault can be printed");
      Require(text->find('\n') == std::string::npos, "a fault is one line");
    }
  }
}

void CheckYaml(std::string_view content) {
  const auto tree = ParseYaml(content, "x.yaml");
  if (!tree) {
    CheckFaults(tree.error());
    return;
  }
  Counts counts;
  Count(*tree, 0, counts);
  Require(counts.nodes <= content.size() + 2, "a tree has no more nodes than the file has bytes");
  Require(counts.depth <= kDeepestYaml, "a tree is not deep");
}

void CheckValues(const Repository& repository) {
  for (const ChallengeSpec& challenge : repository.challenges) {
    Require(IsId(challenge.id) && IsPlainName(challenge.title), "a challenge has plain names");
    Require(challenge.limits.case_time_limit_ms > 0 && challenge.limits.memory_limit_bytes > 0 &&
                challenge.limits.output_limit_bytes > 0 && challenge.limits.build_time_limit_ms > 0,
            "limits are positive");
    Require(std::ranges::all_of(challenge.questions,
                                [](const Question& question) { return IsId(question.id); }),
            "questions have ids");
  }
  for (const Rubric& rubric : repository.rubrics) {
    for (const Criterion& criterion : rubric.criteria) {
      Require(IsId(criterion.id) && FindDimension(rubric, criterion.dimension) != nullptr,
              "a criterion is of a dimension");
      Require(criterion.weight >= 0 && std::isfinite(criterion.weight), "weights are numbers");
      Require(std::ranges::is_sorted(criterion.score, std::ranges::less_equal(), &Anchor::value),
              "values of anchors increase");
      Require(ParseValueExpression(ToString(criterion.value)) == criterion.value,
              "an expression that is written again reads the same");
    }
  }
  for (const ModelSpec& model : repository.models) {
    Require(IsPlainName(model.name), "a model has a plain name");
  }
  for (const SubmissionSpec& submission : repository.submissions) {
    Require(!submission.sources.empty(), "a submission has a source");
    for (const auto* paths : {&submission.sources, &submission.tests}) {
      Require(std::ranges::none_of(*paths,
                                   [](const std::filesystem::path& path) {
                                     return path.is_absolute() ||
                                            std::ranges::find(path, "..") != path.end();
                                   }),
              "no path leads out of a submission");
    }
    for (const auto& [claim, value] : submission.claims) {
      Require(std::isfinite(value), "claims are numbers");
    }
  }
}

void CheckFile(fuzz::FuzzInput input) {
  static const TemporaryRepository repository;
  const std::string_view file = kFiles[input.Number<std::uint8_t>() % kFiles.size()];
  const std::string_view content = input.Rest();
  CheckYaml(content);

  const std::string before = ReadFile(repository.root() / file).value_or("");
  repository.Write(file, content);
  const LoadedRepository loaded = LoadRepository(repository.root());
  const LoadedRepository again = LoadRepository(repository.root());
  repository.Write(file, before);
  CheckFaults(loaded.faults);
  CheckValues(loaded.repository);
  Require(loaded.faults == again.faults &&
              loaded.repository.submissions == again.repository.submissions &&
              loaded.repository.challenges == again.repository.challenges &&
              loaded.repository.rubrics == again.repository.rubrics,
          "a file reads the same twice");
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::CheckFile(assay::fuzz::FuzzInput(data, size));
  return 0;
}

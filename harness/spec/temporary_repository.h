// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_TEMPORARY_REPOSITORY_H_
#define ASSAY_SPEC_TEMPORARY_REPOSITORY_H_

#include <filesystem>
#include <string_view>

#include "base/temporary.h"

namespace assay {

/// For tests: a small, valid repository in a temporary folder, to be broken one file at a time.
/// It holds the challenge `adder`, the models `right` and `wrong`, and their submissions to it.
class TemporaryRepository {
 public:
  TemporaryRepository();

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

  /// Writes a file, creating its folders; `path` is relative to the root.
  void Write(const std::filesystem::path& path, std::string_view content) const;
  /// Replaces the only occurrence of `from` in a file. Anything else fails the test.
  void Replace(const std::filesystem::path& path, std::string_view from, std::string_view to) const;

 private:
  TemporaryDirectory folder_;
};

inline constexpr std::string_view kAdderChallenge = R"(schema: 1
id: adder
title: Adder
published_as: [Adding Up]
languages: [c++]
limits:
  case_time_limit_ms: 1000
  memory_limit_bytes: 100000000
  output_limit_bytes: 1000
  build_time_limit_ms: 60000
entry_points:
  - {name: add_f32, required: true}
  - {name: add_f64, required: false}
questions:
  - {id: cost_flops, text: Operations of one sum, unit: FLOP}
  - {id: bound, text: What bounds it}
claims:
  - {id: tensors_saved, text: Tensors saved, metric: tensors_saved}
)";

inline constexpr std::string_view kAdderRubric = R"(schema: 1
dimensions:
  - {id: correctness, title: Correctness, weight: 2}
  - {id: quality, title: Code Quality, weight: 1}
criteria:
  - id: sums
    title: Sums
    dimension: correctness
    kind: test
    value: pass_rate(sum)
    edge: higher
    weight: 1
    score: [[0, 0], [1, 100]]
    format: percent
  - id: lines
    title: Lines of code
    dimension: quality
    kind: static
    value: static(code_lines)
    edge: lower
    tie_within: 20%
    weight: 1
    score: [[10, 100], [1000, 0]]
penalties: {repaired: 10}
)";

inline constexpr std::string_view kAdderSubmission = R"(schema: 1
sources: [add.cc]
tests: [tests/add_test.cc]
benchmarks:
  - {source: tests/add_bench.cc, configurations: 2}
answers: {cost_flops: 1, bound: memory}
claims: {tensors_saved: 0}
)";

}  // namespace assay

#endif  // ASSAY_SPEC_TEMPORARY_REPOSITORY_H_

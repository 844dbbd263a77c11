// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KEPT_SEEDS_H_
#define ASSAY_REFERENCE_KEPT_SEEDS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What a fresh seed found once: from then on every run repeats it. A line of
/// reference/<challenge>/kept_seeds, `<seed> <subject> [<case>...]`, README.md says more.
struct KeptSeed {
  std::uint64_t seed = 0;
  /// `baseline`, the name of a mutant, or of a control with its verdict: `wrong_answer/zeros`.
  std::string subject;
  std::vector<std::string> cases;  ///< None: all.
  bool operator==(const KeptSeed&) const = default;
};

inline constexpr std::string_view kKeptSeedsFile = "kept_seeds";
inline constexpr std::string_view kBaselineSubject = "baseline";

/// Those of a challenge, from its folder of reference/; none where there is no such file. A line
/// that is no kept seed throws, with its place.
[[nodiscard]] std::vector<KeptSeed> KeptSeedsIn(const std::filesystem::path& reference);

/// Whether it is of a control, which another test runs than the baseline and the mutants.
[[nodiscard]] bool IsOfControl(const KeptSeed& kept);

/// `kept_seeds: 3912 baseline`, for messages.
[[nodiscard]] std::string PlaceOf(const KeptSeed& kept);

}  // namespace assay

#endif  // ASSAY_REFERENCE_KEPT_SEEDS_H_

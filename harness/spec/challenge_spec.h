// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_CHALLENGE_SPEC_H_
#define ASSAY_SPEC_CHALLENGE_SPEC_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/checked.h"

namespace assay {

/// What one host and one build may use. All are positive.
struct ChallengeLimits {
  std::int64_t case_time_limit_ms = 0;   ///< Wall time of one call into a host.
  std::int64_t memory_limit_bytes = 0;   ///< Anonymous memory of a host with all its threads.
  std::int64_t output_limit_bytes = 0;   ///< What a host may print.
  std::int64_t build_time_limit_ms = 0;  ///< Wall time of one compilation.
  bool operator==(const ChallengeLimits&) const = default;
};

/// A function of interface.h. One that is not required may be left out of a submission.
struct EntryPoint {
  std::string name;
  bool required = false;
  bool operator==(const EntryPoint&) const = default;
};

/// Something the challenge asks. The right answer lives in the oracle, never here.
struct Question {
  std::string id;
  std::string text;
  std::string unit;   ///< `bytes`, `FLOP`, …; empty for a text answer.
  std::string group;  ///< What stands before the first `_` of the id; a criterion may score one.
  bool operator==(const Question&) const = default;
};

/// A number that a submission may state about itself; `metric` names what it is held against.
struct ClaimKind {
  std::string id;
  std::string text;
  std::string metric;
  bool operator==(const ClaimKind&) const = default;
};

/// `challenges/<id>/challenge.yaml`.
struct ChallengeSpec {
  std::filesystem::path directory;
  std::string id;  ///< The name of the directory.
  std::string title;
  std::vector<std::string> published_as;  ///< Names the published study used.
  std::vector<std::string> languages;     ///< `c++`, `cuda`.
  ChallengeLimits limits;
  std::vector<EntryPoint> entry_points;
  std::vector<Question> questions;
  std::vector<ClaimKind> claims;
  /// Cases of the suite that run in a process of their own beside the others, by what stands before
  /// the first `/` or `.` of their names: about half of the time. Empty: all run in one.
  std::vector<std::string> second_process;
  bool operator==(const ChallengeSpec&) const = default;
};

/// Whether CUDA is what the challenge cannot do without: its first language.
[[nodiscard]] bool IsInCuda(const ChallengeSpec& challenge);

/// Null when there is none of that id.
[[nodiscard]] const Question* FindQuestion(const ChallengeSpec& challenge, std::string_view id);
[[nodiscard]] const ClaimKind* FindClaim(const ChallengeSpec& challenge, std::string_view id);

/// Reads `<directory>/challenge.yaml` and checks that the files of a challenge are there.
[[nodiscard]] Checked<ChallengeSpec> ReadChallenge(const std::filesystem::path& directory);

}  // namespace assay

#endif  // ASSAY_SPEC_CHALLENGE_SPEC_H_

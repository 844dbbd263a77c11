// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_RUBRIC_H_
#define ASSAY_SPEC_RUBRIC_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/challenge_spec.h"
#include "spec/checked.h"

namespace assay {

/// Where a criterion's value comes from.
enum class CriterionKind {
  kTest,      ///< Cases of the suite.
  kBench,     ///< Workloads timed beside the baseline.
  kGpu,       ///< Counters and checkers of the emulated GPU, or of a real one.
  kBuild,     ///< Compiler, sanitizers, linker.
  kStatic,    ///< Analysis of the sources.
  kOwnTests,  ///< The submission's own tests and benchmarks.
  kClaim,     ///< Numbers it states about itself, against what was measured.
  kAnswer,    ///< Answers to the challenge's questions, against the oracle.
  kReview,    ///< A named reviewer's judgement; never mixed silently with measured rows.
};
[[nodiscard]] std::string_view ToString(CriterionKind kind);
/// Whether rows of the kind measure what is written beside the code: answers, claims, own tests and
/// declared benchmarks, and what a reviewer says of the text. Of a reconstruction this project
/// wrote them, to a published description.
[[nodiscard]] bool IsAuthored(CriterionKind kind);

/// Which of two values wins a row. Text is shown and never wins.
enum class Edge { kHigher, kLower, kText };
[[nodiscard]] std::string_view ToString(Edge edge);

/// How values are printed.
enum class ValueFormat { kPercent, kCount, kRatio, kScientific, kBytes, kSeconds, kText };
[[nodiscard]] std::string_view ToString(ValueFormat format);

/// What is printed with a row's number.
struct ValueUnit {
  enum class Form {
    kNone,     ///< The number alone.
    kCounted,  ///< `12 lines`, `1 line`.
    kOf,       ///< `1 of 2 passes`, `1 of 2`.
    kYesOrNo,  ///< Words for the number: `as handed in` for 1, `not as handed in` for any other.
  };
  Form form = Form::kNone;
  /// kCounted: behind any number but 1. kOf: behind how many; may be empty.
  std::string many = {};
  /// kCounted: behind 1; the same as `many` where the rubric names no other. kYesOrNo: what 1 is.
  std::string one = {};
  int of = 0;  ///< kOf: how many there are, at least 1.
  bool operator==(const ValueUnit&) const = default;
};

/// The closed set of functions that read a criterion's value from evidence. Arguments in
/// parentheses, separated by commas, are names: letters, digits and `_ . / - *`.
enum class ValueFunction {
  kPassRate,           ///< pass_rate(tag, …): accepted cases with one of the tags / all of these.
  kRightRate,          ///< right_rate(tag, …): accepted / those it did not leave out or refuse.
  kMetric,             ///< metric(name): of the release suite.
  kAtLargest,          ///< at_largest(curve, unit of x): of the release suite.
  kWorstOf,            ///< worst_of(curve, unit of x): of the release suite.
  kCurve,              ///< curve(name, points): mean log10 of its errors, of so many points.
  kStatic,             ///< static(field of StaticEvidence).
  kOwnTests,           ///< own_tests(field of OwnTestsEvidence, or kills:<mutant>);
                       ///< own_tests(mutants_killed_share, id of their home criterion).
  kAnswers,            ///< answers(group), answers(all): right answers / questions.
  kEntryPoints,        ///< entry_points(a, b, …): how many of these were seen to work.
  kBuildsAsHandedIn,   ///< builds_as_handed_in: 1, or 0 where a patch was needed.
  kSanitizerFindings,  ///< sanitizer_findings: how many.
  kDeviceFindings,     ///< device_findings, device_findings(checker): how many, of one checker.
  kDistinctFailures,   ///< distinct_failures: known bugs it fails like, and sanitizer findings.
  kBenchRatio,         ///< bench_ratio(prefix): geometric mean of the workloads' ratios.
  kBenchShare,         ///< bench_share(prefix): geometric mean of shares of the bandwidth.
  kClaims,             ///< claims: claims that hold / claims made.
  kReview,             ///< review: the median of reviewers' marks from 0 to 4.
};
[[nodiscard]] std::string_view ToString(ValueFunction function);

struct ValueExpression {
  ValueFunction function = ValueFunction::kReview;
  std::vector<std::string> arguments;
  bool operator==(const ValueExpression&) const = default;
};
/// As written in a rubric: `pass_rate(gradient)`.
[[nodiscard]] std::string ToString(const ValueExpression& expression);
/// An unknown function, a wrong number of arguments or bad characters is an error; its `where` is
/// empty and the caller fills it in.
[[nodiscard]] Result<ValueExpression> ParseValueExpression(std::string_view text);

/// When two values of a row count as equal. `0` and `5`: a difference of at most that; `2x`: a
/// ratio of at most 2; `20%`: a difference of at most a fifth of the larger magnitude.
struct Tie {
  enum class Kind { kDifference, kFactor, kShare };
  Kind kind = Kind::kDifference;
  double amount = 0;  ///< The difference; the factor (2 for `2x`); the share (0.2 for `20%`).
  bool operator==(const Tie&) const = default;
};

/// One anchor of the map from value to score.
struct Anchor {
  double value = 0;
  double score = 0;  ///< 0 to 100.
  bool operator==(const Anchor&) const = default;
};

/// A measured row. Without anchors (text rows) it is shown and not scored.
struct Criterion {
  std::string id;
  std::string title;
  std::string dimension;
  CriterionKind kind = CriterionKind::kReview;
  ValueExpression value;
  Edge edge = Edge::kHigher;
  Tie tie_within;
  double weight = 0;
  std::vector<Anchor> score;  ///< Values strictly increase; scores go one way.
  ValueFormat format = ValueFormat::kCount;
  ValueUnit unit;
  /// Entry points that the row is of: a submission that offers none of them has no value in it.
  /// Empty: the row is everybody's.
  std::vector<std::string> needs;
  /// Of kind review: what each mark from 0 to 4 means. Of other kinds: empty.
  std::vector<std::string> scale = {};
  /// Tag of the cases that ask for what the row is of: a submission that leaves all of them out has
  /// no value in it. Empty: the row is everybody's.
  std::string needs_cases;
  /// Why the row keeps its weight where it tells no two submissions apart; may be empty.
  std::string reason = {};
  int line = 0;  ///< In rubric.yaml.
  bool operator==(const Criterion&) const = default;
};

struct Dimension {
  std::string id;
  std::string title;
  double weight = 0;
  bool operator==(const Dimension&) const = default;
};

/// Points of the overall score that are taken off.
struct Penalties {
  double repaired = 0;  ///< A patch was needed to build.
  bool operator==(const Penalties&) const = default;
};

/// `challenges/<challenge>/rubric.yaml`. Dimensions and criteria keep the order of the file, and
/// reports print them in it.
struct Rubric {
  std::string challenge;
  std::vector<Dimension> dimensions;
  std::vector<Criterion> criteria;
  /// Tags of the cases that ask for work, so that who does nothing fails them: what is right in
  /// them earns the rows (score/README.md, "Zero and hundred"). Empty: every row is earned.
  std::vector<std::string> work;
  Penalties penalties;
  bool operator==(const Rubric&) const = default;
};

[[nodiscard]] const Criterion* FindCriterion(const Rubric& rubric, std::string_view id);
[[nodiscard]] const Dimension* FindDimension(const Rubric& rubric, std::string_view id);

/// Reads `<challenge.directory>/rubric.yaml`.
[[nodiscard]] Checked<Rubric> ReadRubric(const ChallengeSpec& challenge);

}  // namespace assay

#endif  // ASSAY_SPEC_RUBRIC_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_JSON_H_
#define ASSAY_EVIDENCE_JSON_H_

#include <string>
#include <string_view>

#include "base/error.h"
#include "evidence/evidence.h"
#include "evidence/metric_rule.h"

namespace assay {

/// `evidence` as indented JSON with sorted keys and a final line break: equal values give equal
/// bytes. NaN and infinities, which JSON lacks, are written as the strings "nan", "inf", "-inf".
[[nodiscard]] std::string EvidenceToJson(const Evidence& evidence);

/// Reads what EvidenceToJson wrote. Another schema version, a missing or unknown key or a wrong
/// type is an error of kind kConfiguration whose `where` is `file` and whose cause names the key.
[[nodiscard]] Result<Evidence> EvidenceFromJson(std::string_view json, const std::string& file);

/// The results file of one suite or bench run (client/results.h writes it): the parts of Evidence
/// that such a run measures.
struct RunResults {
  SuiteEvidence suite;
  BenchEvidence bench;
  std::vector<std::string> entry_points;
  std::vector<std::string> sanitizer_findings;
  /// Oracle's calculators by question: the right value and the tolerance (0.05 = 5 %); a text
  /// answer has its text in `text` and no value.
  struct Question {
    double value = 0;
    double relative_tolerance = 0;
    std::string text;
    bool operator==(const Question&) const = default;
  };
  std::map<std::string, Question> questions;
  /// The places of suite.cases in the list of all cases that the suite has, from 0.
  std::vector<int> places;
  /// How what another run of other cases measured joins suite.metrics; `last` for one not in it.
  std::map<std::string, MetricRule> metric_rules;
  std::string judge_error;  ///< Not empty: the run itself failed and says nothing of the host.
  bool operator==(const RunResults&) const = default;
};
[[nodiscard]] std::string RunResultsToJson(const RunResults& results);
[[nodiscard]] Result<RunResults> RunResultsFromJson(std::string_view json, const std::string& file);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_JSON_H_

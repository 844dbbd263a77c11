// SPDX-License-Identifier: Apache-2.0
// For tests: a study of the models and the challenge of TemporaryRepository, with one of
// everything.
#ifndef ASSAY_PUBLISHED_SMALL_STUDY_H_
#define ASSAY_PUBLISHED_SMALL_STUDY_H_

#include <string_view>

namespace assay {

inline constexpr std::string_view kSmallStudyPath = "reports/published/small.yaml";
inline constexpr std::string_view kSmallStudy = R"(schema: 1
study:
  id: small
  title: A small study
  date: 2026-04-27
  sources:
    - {file: page.md, sha256: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, holds: All of it}
models:
  - {model: right, names: [Right, R]}
  - {model: wrong, names: [Wrong]}
challenges:
  - {challenge: adder, names: [Adding Up]}
matchups:
  - a: right
    b: wrong
    overall: {winner: right, points: [0.5, 0.5]}
    challenges:
      - challenge: adder
        winner: split
        reason: Each has its side
        rows:
          - {row: Sums, a: "≤32", b: "1 | 2", edge: right, note: one more, measured_by: [sums]}
          - {row: Lines, a: "10", b: "20", edge: tie, measured_by: [lines, sums]}
          - {row: Charm, a: much, b: little, edge: wrong, unmeasured: a matter of taste}
places:
  - {model: right, note: Better, measured_by: [adder/lines]}
takeaways: [{text: Sums decide, measured_by: [adder/lines]}]
rounds:
  - round: 1
    a: wrong
    b: right
    verdict: Right is ahead.
    challenges:
      - challenge: adder
        winner: right
        margin: 10
        overall: {wrong: 78, right: 88}
        dimensions:
          correctness: {wrong: 40, right: 95}
        strengths:
          - {model: right, heading: Right Strengths, items: [{text: It adds, measured_by: [lines]}]}
    averages: {wrong: 78, right: 88}
    margin: 10
    winner: right
    patterns:
      - {factor: Testing, cells: {wrong: None, right: Basic}, measured_by: [adder/sums]}
    closing: That is all.
ranking:
  - model: right
    average: 88
    best: {challenges: [adder], score: 88, text: Adding (88)}
    worst: {challenges: [adder], score: 88, text: Adding (88)}
    notes: Won.
breakdown:
  - {challenge: adder, entries: [{model: right, scores: [88, 89], text: Adds., measured_by: [lines]}]}
patterns:
  - {factor: Rigor, cells: {right: good, wrong: bad}, unmeasured: nobody knows how}
decisive_factors: [{text: Sums, unmeasured: It is one word}]
hybrid:
  introduction: The best of both
  rows:
    - {challenge: adder, algorithm: {text: Right, measured_by: [lines]}, testing: {text: Wrong, measured_by: [lines]}, analysis: {text: Right, unmeasured: nobody asked}}
files:
  - {file: page.md, matchup: Right vs Wrong, size: 20KB}
contradictions:
  - what: One submission has two scores
    challenge: adder
    where:
      - {in: Task by task, says: "88, 89"}
      - {in: Round 1, says: is ahead}
disagreements:
  - {pair: [right, wrong], challenge: adder, row: Lines, cause: metric, text: Lines are counted otherwise., instead: The lines of another file; nobody has it.}
  - {pair: ["right", "wrong"], challenge: "adder", cause: study, text: It has a winner elsewhere.}
)";

}  // namespace assay

#endif  // ASSAY_PUBLISHED_SMALL_STUDY_H_

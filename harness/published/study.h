// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_STUDY_H_
#define ASSAY_PUBLISHED_STUDY_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "score/matchup.h"

/// What somebody published about the models, as data: `reports/published/<study>.yaml`. Texts are
/// the study's own, word for word; ids are this repository's. README.md has the keys.
namespace assay {

/// What a published page was read from, which need not be here.
struct StudySource {
  std::string file;
  std::string sha256;
  std::string holds;
};

/// What the study calls a model or a challenge; the first name is printed.
struct StudyNames {
  std::string id;
  std::vector<std::string> names;
  int line = 0;
};

/// What measures a row: criteria of its challenge (in a pattern, `challenge/criterion`), or why
/// nothing does. One of the two is empty.
struct RowMapping {
  std::vector<std::string> measured_by;
  std::string unmeasured;
};

/// A sentence, and what measures it: criteria of its challenge, or `challenge/criterion` where it
/// is of none.
struct Statement {
  std::string text;
  RowMapping mapping;
  int line = 0;
};

struct PublishedRow {
  std::string row;
  std::string a;
  std::string b;
  RowEdge edge = RowEdge::kTie;  ///< kA, kB or kTie.
  std::string note;              ///< What stands beside the edge; may be empty.
  RowMapping mapping;
  int line = 0;
};

struct PublishedContest {
  std::string challenge;
  RowEdge winner = RowEdge::kSplit;  ///< kA, kB or kSplit.
  std::string reason;
  std::string introduction;            ///< May be empty.
  std::vector<std::string> arguments;  ///< Of a split; may be empty.
  std::vector<PublishedRow> rows;
  int line = 0;
};

/// A number of each of two models.
struct ScorePair {
  double a = 0;
  double b = 0;
};

struct PublishedMatchup {
  std::string a;  ///< Models' ids.
  std::string b;
  RowEdge winner = RowEdge::kSplit;
  ScorePair points;
  std::string introduction;  ///< May be empty.
  std::string remark;        ///< May be empty.
  std::vector<PublishedContest> contests;
  int line = 0;
};

struct DimensionPair {
  std::string dimension;  ///< Id in the rubric of the challenge.
  ScorePair scores;
  int line = 0;
};

/// Strengths, weaknesses: a heading of the study and what stands below it.
struct Findings {
  std::string model;
  std::string heading;
  std::vector<Statement> items;
  int line = 0;
};

struct PublishedScorecard {
  std::string challenge;
  RowEdge winner = RowEdge::kSplit;
  double margin = 0;
  ScorePair overall;
  std::vector<DimensionPair> dimensions;
  std::vector<Findings> strengths;
  std::vector<Findings> weaknesses;
  int line = 0;
};

/// A row of a table over models: what the study found to separate them.
struct Pattern {
  std::string factor;
  std::vector<std::pair<std::string, std::string>> cells;  ///< Model and text, in the file's order.
  RowMapping mapping;
  int line = 0;
};

/// Two models scored from 0 to 100, challenge by challenge.
struct PublishedRound {
  int round = 0;
  std::string a;
  std::string b;
  std::string verdict;
  std::vector<PublishedScorecard> challenges;
  ScorePair averages;
  RowEdge winner = RowEdge::kSplit;
  double margin = 0;
  std::vector<Pattern> patterns;
  std::string hybrid;  ///< May be empty.
  std::string closing;
  int line = 0;
};

/// The challenges in which a model was best or worst, as scored and as printed.
struct ExtremeTask {
  std::vector<std::string> challenges;
  double score = 0;
  std::string text;
};

struct PublishedStanding {
  std::string model;
  double average = 0;
  ExtremeTask best;
  ExtremeTask worst;
  std::string notes;
  int line = 0;
};

/// A model and what is said of it.
struct ModelNote {
  std::string model;
  std::string note;
  RowMapping mapping = {};          ///< As a Statement's.
  std::vector<double> scores = {};  ///< Of a breakdown: one a round; else empty.
  int line = 0;
};

struct Breakdown {
  std::string challenge;
  std::vector<ModelNote> entries;
  int line = 0;
};

/// The best of each model, put together.
struct HybridRow {
  std::string challenge;
  Statement algorithm;
  Statement testing;
  Statement analysis;
  int line = 0;
};

struct PublishedFile {
  std::string file;
  std::string matchup;
  std::string size;
};

/// Where a study says two things of one submission.
struct StudyContradiction {
  struct Passage {
    std::string in;    ///< Part of the study.
    std::string says;  ///< Stands in one of the study's texts.
    int line = 0;
  };
  std::string what;
  std::string challenge;  ///< Empty: of all.
  std::vector<Passage> where;
  int line = 0;
};

/// Why a measured edge or winner is another than the published one.
enum class DisagreementCause {
  kMetric,          ///< What is measured is not what the reader looked at.
  kReconstruction,  ///< What is graded differs from what was read.
  kStudy,           ///< The published edge does not follow from what the study says elsewhere.
  kUnmeasured,      ///< No criterion of the row has an edge.
};
/// `metric`, `reconstruction`, `study`, `unmeasured`.
[[nodiscard]] std::string_view ToString(DisagreementCause cause);

struct Disagreement {
  std::string a;  ///< The pair, in the order of its matchup.
  std::string b;
  std::string challenge;
  std::string row;  ///< Empty: the winner of the challenge.
  DisagreementCause cause = DisagreementCause::kMetric;
  std::string text;
  /// Of kMetric: what would have to be measured, and why it is not.
  std::string instead = {};
  int line = 0;
};

struct PublishedStudy {
  std::filesystem::path file;
  std::string id;
  std::string title;
  std::string date;
  std::string commit;
  std::vector<StudySource> sources;
  std::vector<StudyNames> models;
  std::vector<StudyNames> challenges;
  std::vector<PublishedMatchup> matchups;
  std::vector<ModelNote> places;  ///< The ranking that follows from the matchups.
  std::vector<Statement> takeaways;
  std::vector<PublishedRound> rounds;
  std::vector<PublishedStanding> ranking;  ///< The ranking that follows from the rounds.
  std::vector<Breakdown> breakdown;
  std::vector<Pattern> patterns;
  std::vector<Statement> decisive_factors;
  std::string hybrid;
  std::vector<HybridRow> hybrid_rows;
  std::vector<PublishedFile> files;
  std::vector<StudyContradiction> contradictions;
  std::vector<Disagreement> disagreements;
  /// Every text of the file but those of contradictions and disagreements, which are ours; a list
  /// of numbers as one text with commas.
  std::vector<std::string> texts;
};

/// The study's name for a model or challenge, or the id itself.
[[nodiscard]] std::string_view NameIn(const std::vector<StudyNames>& names, std::string_view id);

/// Null when the study has no such matchup, contest or row.
[[nodiscard]] const PublishedMatchup* FindMatchup(const PublishedStudy& study, std::string_view a,
                                                  std::string_view b);
[[nodiscard]] const PublishedContest* FindContest(const PublishedMatchup& matchup,
                                                  std::string_view challenge);
[[nodiscard]] const PublishedRow* FindRow(const PublishedContest& contest, std::string_view row);
/// Null when nobody has written why. With an empty `row` that on the winner of the challenge.
[[nodiscard]] const Disagreement* FindDisagreement(const PublishedStudy& study,
                                                   const PublishedMatchup& matchup,
                                                   std::string_view challenge,
                                                   std::string_view row);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_STUDY_H_

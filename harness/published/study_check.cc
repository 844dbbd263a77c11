// SPDX-License-Identifier: Apache-2.0
#include "published/study_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "spec/nearest.h"
#include "spec/yaml.h"

namespace assay {
namespace {

class Checker {
 public:
  Checker(const PublishedStudy& study, const Repository& repository)
      : study_(study), repository_(repository), faults_(study.file.string()) {}

  Errors Check() {
    CheckNames();
    for (const PublishedMatchup& matchup : study_.matchups) {
      CheckMatchup(matchup);
    }
    for (const PublishedRound& round : study_.rounds) {
      CheckRound(round);
    }
    CheckSummaries();
    for (const StudyContradiction& one : study_.contradictions) {
      CheckContradiction(one);
    }
    for (const Disagreement& one : study_.disagreements) {
      CheckDisagreement(one);
    }
    return faults_.errors();
  }

 private:
  void CheckNames() {
    const auto models = NamesOf(repository_.models, &ModelSpec::id);
    for (const StudyNames& one : study_.models) {
      if (FindModel(repository_, one.id) == nullptr) {
        faults_.Add(one.line, fmt::format("there is no model \"{}\"", one.id),
                    SuggestOneOf(one.id, models));
      }
      Once(one.line, "model " + one.id);
    }
    const auto challenges = NamesOf(repository_.challenges, &ChallengeSpec::id);
    for (const StudyNames& one : study_.challenges) {
      if (FindChallenge(repository_, one.id) == nullptr) {
        faults_.Add(one.line, fmt::format("there is no challenge \"{}\"", one.id),
                    SuggestOneOf(one.id, challenges));
      }
      Once(one.line, "challenge " + one.id);
    }
  }

  /// A fault unless the head of the file names it.
  void CheckModel(int line, const std::string& id) { Named(line, id, "model", study_.models); }
  void CheckChallenge(int line, const std::string& id) {
    Named(line, id, "challenge", study_.challenges);
  }
  void Named(int line, const std::string& id, std::string_view what,
             const std::vector<StudyNames>& names) {
    if (std::ranges::find(names, id, &StudyNames::id) == names.end()) {
      faults_.Add(line, fmt::format("{} \"{}\" is not among the study's {}s", what, id, what),
                  SuggestOneOf(id, NamesOf(names, &StudyNames::id)));
    }
  }

  void Once(int line, const std::string& what) {
    if (!seen_.insert(what).second) {
      faults_.Add(line, fmt::format("\"{}\" is there twice", what), "keep one of the two");
    }
  }

  void CheckCriterion(int line, const std::string& challenge, const std::string& criterion) {
    const Rubric* const rubric = FindRubric(repository_, challenge);
    if (rubric != nullptr && FindCriterion(*rubric, criterion) == nullptr) {
      faults_.Add(line, fmt::format("{} has no criterion \"{}\"", challenge, criterion),
                  SuggestOneOf(criterion, NamesOf(rubric->criteria, &Criterion::id)));
    }
  }

  /// Criteria of the challenge.
  void CheckMapping(int line, const std::string& challenge, const RowMapping& mapping) {
    for (const std::string& criterion : mapping.measured_by) {
      CheckCriterion(line, challenge, criterion);
    }
  }

  /// Each `challenge/criterion`.
  void CheckPaths(int line, const RowMapping& mapping) {
    for (const std::string& path : mapping.measured_by) {
      const std::size_t slash = path.find('/');
      if (slash == std::string::npos) {
        faults_.Add(line, fmt::format("\"{}\" does not say of which challenge it is", path),
                    "write challenge/criterion");
        continue;
      }
      CheckChallenge(line, path.substr(0, slash));
      CheckCriterion(line, path.substr(0, slash), path.substr(slash + 1));
    }
  }

  void CheckMatchup(const PublishedMatchup& matchup) {
    const std::string name = matchup.a + " vs " + matchup.b;
    CheckModel(matchup.line, matchup.a);
    CheckModel(matchup.line, matchup.b);
    Once(matchup.line, name);
    for (const PublishedContest& contest : matchup.contests) {
      CheckChallenge(contest.line, contest.challenge);
      const std::string of = name + ", " + contest.challenge;
      Once(contest.line, of);
      for (const PublishedRow& row : contest.rows) {
        Once(row.line, of + ", " + row.row);
        CheckMapping(row.line, contest.challenge, row.mapping);
      }
    }
  }

  void CheckPatterns(const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns) {
      for (const auto& [model, text] : pattern.cells) {
        CheckModel(pattern.line, model);
      }
      CheckPaths(pattern.line, pattern.mapping);
    }
  }

  void CheckRound(const PublishedRound& round) {
    const std::string name = fmt::format("round {}", round.round);
    Once(round.line, name);
    CheckModel(round.line, round.a);
    CheckModel(round.line, round.b);
    for (const PublishedScorecard& card : round.challenges) {
      CheckChallenge(card.line, card.challenge);
      Once(card.line, name + ", " + card.challenge);
      CheckDimensions(card);
      for (const auto* const all : {&card.strengths, &card.weaknesses}) {
        for (const Findings& findings : *all) {
          CheckModel(findings.line, findings.model);
          for (const Statement& item : findings.items) {
            CheckMapping(item.line, card.challenge, item.mapping);
          }
        }
      }
    }
    CheckPatterns(round.patterns);
  }

  void CheckDimensions(const PublishedScorecard& card) {
    const Rubric* const rubric = FindRubric(repository_, card.challenge);
    if (rubric == nullptr) {
      return;
    }
    for (const DimensionPair& one : card.dimensions) {
      if (FindDimension(*rubric, one.dimension) == nullptr) {
        faults_.Add(one.line,
                    fmt::format("{} has no dimension \"{}\"", card.challenge, one.dimension),
                    SuggestOneOf(one.dimension, NamesOf(rubric->dimensions, &Dimension::id)));
      }
    }
  }

  void CheckSummaries() {
    for (const ModelNote& place : study_.places) {
      CheckModel(place.line, place.model);
      CheckPaths(place.line, place.mapping);
    }
    for (const PublishedStanding& standing : study_.ranking) {
      CheckModel(standing.line, standing.model);
      for (const auto* const task : {&standing.best, &standing.worst}) {
        for (const std::string& challenge : task->challenges) {
          CheckChallenge(standing.line, challenge);
        }
      }
    }
    for (const Breakdown& breakdown : study_.breakdown) {
      CheckChallenge(breakdown.line, breakdown.challenge);
      for (const ModelNote& entry : breakdown.entries) {
        CheckModel(entry.line, entry.model);
        CheckMapping(entry.line, breakdown.challenge, entry.mapping);
      }
    }
    CheckPatterns(study_.patterns);
    for (const HybridRow& row : study_.hybrid_rows) {
      CheckChallenge(row.line, row.challenge);
      for (const auto* const best : {&row.algorithm, &row.testing, &row.analysis}) {
        CheckMapping(best->line, row.challenge, best->mapping);
      }
    }
    for (const auto* const all : {&study_.takeaways, &study_.decisive_factors}) {
      for (const Statement& one : *all) {
        CheckPaths(one.line, one.mapping);
      }
    }
  }

  void CheckContradiction(const StudyContradiction& one) {
    if (!one.challenge.empty()) {
      CheckChallenge(one.line, one.challenge);
    }
    for (const StudyContradiction::Passage& passage : one.where) {
      const bool stands = std::ranges::any_of(study_.texts, [&](const std::string& text) {
        return text.find(passage.says) != std::string::npos;
      });
      if (!stands) {
        faults_.Add(passage.line, fmt::format("\"{}\" stands nowhere in the study", passage.says),
                    "quote it word for word");
      }
    }
  }

  void CheckDisagreement(const Disagreement& one) {
    const PublishedMatchup* const matchup = FindMatchup(study_, one.a, one.b);
    const PublishedContest* const contest =
        matchup == nullptr ? nullptr : FindContest(*matchup, one.challenge);
    if (contest == nullptr || (!one.row.empty() && FindRow(*contest, one.row) == nullptr)) {
      faults_.Add(one.line,
                  fmt::format("there is no row \"{}\" of {} in {} vs {}", one.row, one.challenge,
                              one.a, one.b),
                  "copy pair, challenge and row from the matchup");
    }
    Once(one.line,
         fmt::format("disagreement on {}, {}, {} vs {}", one.row, one.challenge, one.a, one.b));
  }

  const PublishedStudy& study_;
  const Repository& repository_;
  FileFaults faults_;
  std::set<std::string> seen_;
};

}  // namespace

Errors CheckStudy(const PublishedStudy& study, const Repository& repository) {
  return Checker(study, repository).Check();
}

}  // namespace assay

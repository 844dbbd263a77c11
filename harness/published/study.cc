// SPDX-License-Identifier: Apache-2.0
#include "published/study.h"

#include <algorithm>

namespace assay {
namespace {

template <class T, class Matches>
const T* FindIn(const std::vector<T>& things, Matches matches) {
  const auto found = std::ranges::find_if(things, matches);
  return found == things.end() ? nullptr : &*found;
}

}  // namespace

std::string_view ToString(DisagreementCause cause) {
  switch (cause) {
    case DisagreementCause::kMetric:
      return "metric";
    case DisagreementCause::kReconstruction:
      return "reconstruction";
    case DisagreementCause::kStudy:
      return "study";
    case DisagreementCause::kUnmeasured:
      return "unmeasured";
  }
  return "";
}

std::string_view NameIn(const std::vector<StudyNames>& names, std::string_view id) {
  const StudyNames* const found = FindIn(names, [&](const StudyNames& n) { return n.id == id; });
  return found == nullptr || found->names.empty() ? id : std::string_view(found->names.front());
}

const PublishedMatchup* FindMatchup(const PublishedStudy& study, std::string_view a,
                                    std::string_view b) {
  return FindIn(study.matchups, [&](const PublishedMatchup& m) { return m.a == a && m.b == b; });
}

const PublishedContest* FindContest(const PublishedMatchup& matchup, std::string_view challenge) {
  return FindIn(matchup.contests,
                [&](const PublishedContest& c) { return c.challenge == challenge; });
}

const PublishedRow* FindRow(const PublishedContest& contest, std::string_view row) {
  return FindIn(contest.rows, [&](const PublishedRow& r) { return r.row == row; });
}

const Disagreement* FindDisagreement(const PublishedStudy& study, const PublishedMatchup& matchup,
                                     std::string_view challenge, std::string_view row) {
  return FindIn(study.disagreements, [&](const Disagreement& d) {
    return d.a == matchup.a && d.b == matchup.b && d.challenge == challenge && d.row == row;
  });
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "report/challenge_sections.h"
#include "report/words.h"
#include "score/reviews.h"

namespace assay {
namespace {

/// One row for each criterion and model that a review counts for.
Markdown Judgements(const ChallengeBoard& challenge) {
  MarkdownTable table({{.title = "Criteria"},
                       {.title = "Model"},
                       {.title = "Median (range)", .align = Align::kRight},
                       {.title = "Reviewers", .align = Align::kRight},
                       {.title = "Alpha", .align = Align::kRight},
                       {.title = "Scored"}});
  for (const Criterion& criterion : challenge.view->rubric.criteria) {
    for (const Scorecard& card : challenge.cards) {
      const auto summary = Summarise(challenge.view->reviews, criterion.id, card.model);
      if (!summary) {
        continue;
      }
      table.AddRow({Markdown::Text(criterion.title), NameWithMarks(card),
                    Markdown::Text(fmt::format("{:g} ({:g} to {:g})", summary->median,
                                               summary->least, summary->most)),
                    Number(summary->reviewers),
                    summary->alpha ? Markdown::Text(fmt::format("{:.2f}", *summary->alpha)) : "—",
                    summary->not_scored.empty() ? Markdown("yes")
                                                : "no: " + Markdown::Text(summary->not_scored)});
    }
  }
  return table.empty() ? Markdown() : table.Render() + "\n";
}

Markdown Reviewers(const Reviews& reviews) {
  MarkdownTable table({{.title = "Reviewer"},
                       {.title = "Who"},
                       {.title = "Last"},
                       {.title = "Reviews", .align = Align::kRight},
                       {.title = "Left out"},
                       {.title = "Same in both orders"}});
  std::map<std::string, std::vector<const ReviewRecord*>> by_reviewer;
  for (const ReviewRecord& review : reviews) {
    by_reviewer[review.reviewer].push_back(&review);
  }
  for (const auto& [reviewer, own] : by_reviewer) {
    std::string last;
    std::vector<Markdown> left_out;
    for (const ReviewRecord* review : own) {
      last = std::max(last, review->date);
      if (review->standing != ReviewStanding::kCounts) {
        left_out.push_back(
            Markdown::Text(fmt::format("{} ({})", review->model, ToString(review->standing))));
      }
    }
    const OrderConsistency order = ConsistencyOf(reviews, reviewer);
    table.AddRow({Markdown::Text(reviewer), CellText(own.front()->who), Markdown::Text(last),
                  Number(std::ssize(own) - std::ssize(left_out)),
                  left_out.empty() ? "—" : Markdown::Join(left_out, ", "),
                  order.pairs == 0 ? Markdown("—")
                                   : Markdown::Text(fmt::format("{} of {} pairs", order.consistent,
                                                                order.pairs))});
  }
  return table.Render();
}

}  // namespace

Markdown ReviewSection(const ChallengeBoard& challenge) {
  const Reviews& reviews = challenge.view->reviews;
  if (reviews.empty()) {
    return {};
  }
  return "Judged, not measured: marks from 0 to 4 on the scales of the rubric, by reviewers who "
         "did "
         "not see the models' names. Alpha is Krippendorff's, for ordinal data, over all "
         "submissions; a row with fewer than 3 reviewers, or below 0.67, carries no weight.\n\n" +
         Judgements(challenge) + Reviewers(reviews);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "review/review_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "review/blinder.h"
#include "review/dossier.h"
#include "review/visible.h"
#include "spec/nearest.h"

namespace assay {
namespace {

using Kind = ReviewFinding::Kind;

std::vector<std::string> IdsOf(const std::vector<const Criterion*>& criteria) {
  return NamesOf(criteria, [](const Criterion* one) { return one->id; });
}

class Checker {
 public:
  Checker(const std::vector<Review>& reviews, const ReviewRules& rules)
      : reviews_(reviews), rules_(rules), criteria_(IdsOf(ReviewCriteria(*rules.rubric))) {}

  ReviewFindings Run() {
    for (const Review& review : reviews_) {
      Check(review);
    }
    return std::move(findings_);
  }

 private:
  void Add(Kind kind, const Review& review, int line, const std::string& cause,
           std::string remedy) {
    findings_.push_back(
        {.kind = kind,
         .error = {.kind = ErrorKind::kConfiguration,
                   .where = line > 0 ? fmt::format("{}:{}", review.file.string(), line)
                                     : review.file.string(),
                   .cause = MakeVisible(cause),
                   .remedy = std::move(remedy)}});
  }

  void Check(const Review& review) {
    const ReviewSubject* const subject = FindSubject(rules_, review.submission);
    if (subject == nullptr) {
      Add(Kind::kFault, review, 0,
          fmt::format("\"{}\" is no submission to {}", review.submission, review.challenge),
          "check it where assay review new wrote it; if the submission is gone, remove it");
      return;
    }
    if (IsOwnWork(review.reviewer, *subject)) {
      Add(Kind::kOwnWork, review, 0,
          fmt::format("{} reviews its own submission", NameOf(review.reviewer)),
          "remove it: nobody judges what they wrote");
    }
    CheckMarks(review);
    CheckComparisons(review, *subject);
    if (review.digest != subject->digest) {
      // Its lines may be others now, which says nothing of the review.
      Add(Kind::kStale, review, 0, "is stale: the submission changed after it was read",
          "review it again: assay review new");
      return;
    }
    CheckQuotations(review, *subject);
  }

  void CheckMarks(const Review& review) {
    std::set<std::string> marked;
    for (const GivenMark& mark : review.marks) {
      if (CheckCriterion(review, mark.criterion, mark.at_line) &&
          !marked.insert(mark.criterion).second) {
        Add(Kind::kFault, review, mark.at_line,
            fmt::format("\"{}\" is marked twice", mark.criterion), "keep one mark");
      }
    }
    for (const std::string& criterion : criteria_) {
      if (!marked.contains(criterion)) {
        Add(Kind::kFault, review, 0, fmt::format("\"{}\" is not marked", criterion),
            "add it under marks");
      }
    }
  }

  bool CheckCriterion(const Review& review, const std::string& criterion, int line) {
    const bool is_known = std::ranges::find(criteria_, criterion) != criteria_.end();
    if (!is_known) {
      Add(Kind::kFault, review, line,
          fmt::format("{} has no criterion of kind review \"{}\"", review.challenge, criterion),
          SuggestOneOf(criterion, criteria_));
    }
    return is_known;
  }

  void CheckQuotations(const Review& review, const ReviewSubject& subject) {
    for (const GivenMark& mark : review.marks) {
      for (const Quotation& quotation : mark.evidence) {
        const ShownFile* const file = FindShownFile(subject.files, quotation.file);
        if (file == nullptr) {
          Add(Kind::kFault, review, quotation.at_line,
              fmt::format("the submission has no file \"{}\"", quotation.file),
              SuggestOneOf(quotation.file, NamesOf(subject.files, &ShownFile::shown_path)));
        } else if (!Quotes(*file, quotation.line, quotation.quote)) {
          Add(Kind::kFault, review, quotation.at_line,
              fmt::format("line {} of {} does not hold \"{}\"", quotation.line, file->shown_path,
                          quotation.quote),
              WhereItStands(*file, quotation.quote));
        }
      }
    }
  }

  static std::string WhereItStands(const ShownFile& file, std::string_view quote) {
    for (std::size_t line = 1; line <= file.shown_lines.size(); ++line) {
      if (Quotes(file, static_cast<int>(line), quote)) {
        return fmt::format("line {} does; correct the number", line);
      }
    }
    return "quote a part of one line, letter by letter";
  }

  void CheckComparisons(const Review& review, const ReviewSubject& subject) {
    std::set<std::pair<std::string, std::string>> compared;
    for (const GivenComparison& one : review.comparisons) {
      if (!CheckCriterion(review, one.criterion, one.at_line)) {
        continue;
      }
      const ReviewSubject* const against = FindSubject(rules_, one.against);
      if (against == nullptr || against == &subject) {
        Add(Kind::kFault, review, one.at_line,
            against == nullptr
                ? fmt::format("\"{}\" is no submission to {}", one.against, review.challenge)
                : "a submission is compared with itself",
            "leave it as the dossier's form has it; if that submission is gone, remove it");
      } else if (!compared.emplace(one.criterion, against->model).second) {
        Add(Kind::kFault, review, one.at_line,
            fmt::format("\"{}\" is compared against {} twice", one.criterion, one.against),
            "keep one");
      } else {
        CheckOtherOrder(review, one, subject, *against);
      }
    }
    CheckAllAreCompared(review, subject, compared);
  }

  void CheckOtherOrder(const Review& review, const GivenComparison& one,
                       const ReviewSubject& subject, const ReviewSubject& against) {
    const Review* const other = ReviewOf(against);
    const GivenComparison* turned = nullptr;
    if (other != nullptr) {
      for (const GivenComparison& candidate : other->comparisons) {
        if (candidate.criterion == one.criterion &&
            FindSubject(rules_, candidate.against) == &subject) {
          turned = &candidate;
        }
      }
    }
    if (turned == nullptr) {
      Add(Kind::kFault, review, one.at_line,
          fmt::format("{} is compared against {} in this order alone", review.submission,
                      one.against),
          fmt::format("add the comparison against {} to the review of {}", review.submission,
                      one.against));
      return;
    }
    if (TurnedOver(turned->prefers) != one.prefers && subject.model < against.model) {
      Add(Kind::kFlag, review, one.at_line,
          fmt::format("by \"{}\", which of {} and {} is better depends on which is read first",
                      one.criterion, review.submission, one.against),
          "it counts for neither; look at both again");
    }
    CheckAgainstMarks(review, one, *other);
  }

  void CheckAgainstMarks(const Review& review, const GivenComparison& one, const Review& other) {
    const auto mark = std::ranges::find(review.marks, one.criterion, &GivenMark::criterion);
    const auto mark_of_other = std::ranges::find(other.marks, one.criterion, &GivenMark::criterion);
    if (mark == review.marks.end() || mark_of_other == other.marks.end()) {
      return;
    }
    if ((one.prefers == Preference::kThis && mark->mark < mark_of_other->mark) ||
        (one.prefers == Preference::kOther && mark->mark > mark_of_other->mark)) {
      Add(Kind::kFlag, review, one.at_line,
          fmt::format("by \"{}\", the one that is preferred has the lower mark", one.criterion),
          "look at both again");
    }
  }

  /// Among the submissions that this reviewer read.
  void CheckAllAreCompared(const Review& review, const ReviewSubject& subject,
                           const std::set<std::pair<std::string, std::string>>& compared) {
    for (const Review& other : reviews_) {
      const ReviewSubject* const against = FindSubject(rules_, other.submission);
      if (against == nullptr || against == &subject) {
        continue;
      }
      for (const std::string& criterion : criteria_) {
        if (!compared.contains({criterion, against->model})) {
          Add(Kind::kFlag, review, 0,
              fmt::format("does not compare against {} by \"{}\"", other.submission, criterion),
              "add it under comparisons");
        }
      }
    }
  }

  const Review* ReviewOf(const ReviewSubject& subject) {
    const auto found = std::ranges::find_if(reviews_, [&](const Review& review) {
      return FindSubject(rules_, review.submission) == &subject;
    });
    return found == reviews_.end() ? nullptr : &*found;
  }

  const std::vector<Review>& reviews_;
  const ReviewRules& rules_;
  std::vector<std::string> criteria_;
  ReviewFindings findings_;
};

}  // namespace

const ReviewSubject* FindSubject(const ReviewRules& rules, std::string_view name) {
  const auto found = std::ranges::find_if(rules.subjects, [name](const ReviewSubject& one) {
    return one.model == name || (!one.label.empty() && one.label == name);
  });
  return found == rules.subjects.end() ? nullptr : &*found;
}

bool IsOwnWork(const Reviewer& reviewer, const ReviewSubject& subject) {
  const std::string id = FoldName(subject.model);
  const std::string name = FoldName(subject.model_name);
  const auto is_it = [&](const std::string& spelt) {
    const std::string folded = FoldName(spelt);
    return !folded.empty() && (folded == id || folded == name);
  };
  return is_it(reviewer.id) ||
         (!reviewer.model.empty() &&
          (is_it(reviewer.model) || is_it(reviewer.model + reviewer.version)));
}

ReviewFindings CheckReviews(const std::vector<Review>& reviews, const ReviewRules& rules) {
  return Checker(reviews, rules).Run();
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "client/covering_array.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace assay {
namespace {

constexpr int kNotChosen = -1;

/// Values of some features that one row is to have.
using FeatureTuple = std::vector<std::pair<int, int>>;  ///< (feature, value)

/// The features of a pair or triple, and which of their values no row has yet.
struct TupleGroup {
  std::vector<int> features;
  std::vector<char> missing;  ///< By the values as digits, the first feature's the most.
};

class RowBuilder {
 public:
  RowBuilder(std::span<const Feature> features, std::span<const std::array<int, 3>> triples,
             const Constraint& allowed, std::uint64_t seed)
      : features_(features), allowed_(allowed), random_(seed) {
    const int count = static_cast<int>(features.size());
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        AddGroup({a, b});
      }
    }
    for (const std::array<int, 3>& triple : triples) {
      AddGroup({triple.begin(), triple.end()});
    }
  }

  [[nodiscard]] std::vector<FeatureChoice> Build() {
    std::vector<FeatureChoice> rows;
    while (const std::optional<FeatureTuple> tuple = DrawMissing()) {
      rows.push_back(DrawBestRow(*tuple));
      TakeMissing(rows.back());
    }
    return rows;
  }

 private:
  [[nodiscard]] int ValuesOf(int feature) const {
    return static_cast<int>(features_[static_cast<std::size_t>(feature)].values.size());
  }
  [[nodiscard]] FeatureChoice NothingChosen() const {
    return FeatureChoice(features_.size(), kNotChosen);
  }
  [[nodiscard]] std::size_t Draw(std::size_t below) { return random_() % below; }

  void Shuffle(std::vector<int>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[Draw(i)]);
    }
  }

  [[nodiscard]] FeatureTuple TupleOf(const TupleGroup& group, std::size_t digits) const {
    FeatureTuple tuple(group.features.size());
    for (std::size_t i = tuple.size(); i-- > 0;) {
      const auto base = static_cast<std::size_t>(ValuesOf(group.features[i]));
      tuple[i] = {group.features[i], static_cast<int>(digits % base)};
      digits /= base;
    }
    return tuple;
  }

  /// The group's digits of a choice, unless one of its features is not chosen.
  [[nodiscard]] std::optional<std::size_t> DigitsOf(const TupleGroup& group,
                                                    const FeatureChoice& choice) const {
    std::size_t digits = 0;
    for (const int feature : group.features) {
      const int value = choice[static_cast<std::size_t>(feature)];
      if (value == kNotChosen) {
        return std::nullopt;
      }
      digits =
          digits * static_cast<std::size_t>(ValuesOf(feature)) + static_cast<std::size_t>(value);
    }
    return digits;
  }

  void AddGroup(std::vector<int> features) {
    std::size_t tuples = 1;
    for (const int feature : features) {
      tuples *= static_cast<std::size_t>(ValuesOf(feature));
    }
    TupleGroup group{.features = std::move(features), .missing = std::vector<char>(tuples)};
    for (std::size_t digits = 0; digits < tuples; ++digits) {
      FeatureChoice choice = NothingChosen();
      for (const auto& [feature, value] : TupleOf(group, digits)) {
        choice[static_cast<std::size_t>(feature)] = value;
      }
      group.missing[digits] = CanBeCompleted(choice) ? 1 : 0;
    }
    groups_.push_back(std::move(group));
  }

  /// Looks for one whole row with these values. A constraint may allow values that no other goes
  /// with, so that it is not enough to ask it.
  [[nodiscard]] bool CanBeCompleted(FeatureChoice& choice) const {
    if (!allowed_(choice)) {
      return false;
    }
    const auto open = std::ranges::find(choice, kNotChosen);
    if (open == choice.end()) {
      return true;
    }
    const int values = ValuesOf(static_cast<int>(open - choice.begin()));
    bool can = false;
    for (int value = 0; value < values && !can; ++value) {
      *open = value;
      can = CanBeCompleted(choice);
    }
    *open = kNotChosen;
    return can;
  }

  /// One of those that are missing, each as likely.
  [[nodiscard]] std::optional<FeatureTuple> DrawMissing() {
    const auto missing_of = [](const TupleGroup& group) {
      return static_cast<std::size_t>(std::ranges::count(group.missing, 1));
    };
    std::size_t total = 0;
    for (const TupleGroup& group : groups_) {
      total += missing_of(group);
    }
    if (total == 0) {
      return std::nullopt;
    }
    std::size_t nth = Draw(total);
    const auto group = std::ranges::find_if(groups_, [&](const TupleGroup& candidate) {
      const std::size_t missing = missing_of(candidate);
      const bool here = nth < missing;
      nth -= here ? 0U : missing;
      return here;
    });
    std::size_t digits = 0;
    for (; group->missing[digits] == 0 || nth > 0; ++digits) {
      nth -= group->missing[digits] == 0 ? 0U : 1U;
    }
    return TupleOf(*group, digits);
  }

  /// How many that are missing a choice has, in the groups of one feature or (-1) in all.
  [[nodiscard]] int MissingIn(const FeatureChoice& choice, int feature) const {
    int missing = 0;
    for (const TupleGroup& group : groups_) {
      if (feature < 0 || std::ranges::count(group.features, feature) > 0) {
        const std::optional<std::size_t> digits = DigitsOf(group, choice);
        missing += digits ? group.missing[*digits] : 0;
      }
    }
    return missing;
  }

  /// Of the values that a whole row can have there, one that adds most; of equals, one drawn.
  void Choose(int feature, FeatureChoice& choice) {
    std::vector<int> values(static_cast<std::size_t>(ValuesOf(feature)));
    std::iota(values.begin(), values.end(), 0);
    Shuffle(values);
    int best = kNotChosen;
    int most = -1;
    int& chosen = choice[static_cast<std::size_t>(feature)];
    for (const int value : values) {
      chosen = value;
      const int missing = MissingIn(choice, feature);
      if (missing > most && CanBeCompleted(choice)) {
        best = value;
        most = missing;
      }
    }
    chosen = best;
  }

  [[nodiscard]] FeatureChoice DrawRow(const FeatureTuple& with) {
    FeatureChoice choice = NothingChosen();
    for (const auto& [feature, value] : with) {
      choice[static_cast<std::size_t>(feature)] = value;
    }
    std::vector<int> order(features_.size());
    std::iota(order.begin(), order.end(), 0);
    Shuffle(order);
    for (const int feature : order) {
      if (choice[static_cast<std::size_t>(feature)] == kNotChosen) {
        Choose(feature, choice);
      }
    }
    return choice;
  }

  [[nodiscard]] FeatureChoice DrawBestRow(const FeatureTuple& with) {
    constexpr int kCandidates = 12;
    FeatureChoice best;
    int most = 0;
    for (int i = 0; i < kCandidates; ++i) {
      FeatureChoice candidate = DrawRow(with);
      const int missing = MissingIn(candidate, -1);
      if (missing > most) {
        best = std::move(candidate);
        most = missing;
      }
    }
    return best;
  }

  void TakeMissing(const FeatureChoice& row) {
    for (TupleGroup& group : groups_) {
      group.missing[*DigitsOf(group, row)] = 0;
    }
  }

  std::span<const Feature> features_;
  const Constraint& allowed_;
  std::mt19937_64 random_;
  std::vector<TupleGroup> groups_;
};

}  // namespace

std::vector<FeatureChoice> CoveringArray(std::span<const Feature> features,
                                         std::span<const std::array<int, 3>> triples,
                                         const Constraint& allowed, std::uint64_t seed) {
  return RowBuilder(features, triples, allowed, seed).Build();
}

std::string DescribeChoice(std::span<const Feature> features, const FeatureChoice& choice) {
  std::string text;
  for (std::size_t i = 0; i < features.size(); ++i) {
    text += text.empty() ? "" : ", ";
    text += features[i].name;
    text += '=';
    text += features[i].values[static_cast<std::size_t>(choice[i])];
  }
  return text;
}

}  // namespace assay

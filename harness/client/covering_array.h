// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_COVERING_ARRAY_H_
#define ASSAY_CLIENT_COVERING_ARRAY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One thing in which the calls of a case can differ, and what it can be.
struct Feature {
  std::string_view name;
  std::vector<std::string_view> values;
};

/// One value (its index) for each feature.
using FeatureChoice = std::vector<int>;

/// True unless the values chosen so far cannot stand together; -1 stands for "not chosen yet". What
/// it forbids, it forbids whatever is chosen beside it.
using Constraint = std::function<bool(std::span<const int>)>;

/// Rows that hold every allowed pair of values of two features, and every allowed triple of values
/// of the features that each of `triples` names by their indices. A pair or triple is allowed when
/// some whole row has it. Few rows, in no order, others from each seed, the same from the same.
///
/// Source: greedy as in Cohen, Dalal, Fredman, Patton, The AETG System, IEEE TSE 23(7), 1997: of
/// some rows drawn about a tuple that is missing still, the one that has most of those missing.
[[nodiscard]] std::vector<FeatureChoice> CoveringArray(std::span<const Feature> features,
                                                       std::span<const std::array<int, 3>> triples,
                                                       const Constraint& allowed,
                                                       std::uint64_t seed);

/// `type=f32, rows=one`: what a failing row is told by.
[[nodiscard]] std::string DescribeChoice(std::span<const Feature> features,
                                         const FeatureChoice& choice);

}  // namespace assay

#endif  // ASSAY_CLIENT_COVERING_ARRAY_H_

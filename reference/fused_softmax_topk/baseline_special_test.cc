// SPDX-License-Identifier: Apache-2.0
// The CPU form against the oracle at NaN, infinities and zeros of both signs, at every place of
// small rows and side by side in blocks of vectors.

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "client/compare.h"
#include "interface.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::softmax_topk {
namespace {

constexpr float kNan = kSpecialValues<float>[0];

/// One call for all rows: what a row holds must not reach another.
void ExpectRight(const Problem<float>& problem) {
  SCOPED_TRACE(testing::Message() << problem.rows << " x " << problem.vocabulary << ", k "
                                  << problem.k);
  const std::size_t results = problem.rows * problem.k;
  std::vector<float> probabilities(results, -1);
  std::vector<std::int32_t> indices(results, -1);
  ASSERT_EQ(softmax_topk_cpu_f32(problem.rows, problem.vocabulary, problem.k, problem.logits.data(),
                                 problem.vocabulary, probabilities.data(), indices.data()),
            SOFTMAX_TOPK_OK);
  const Answer want = Solve(problem);
  const auto differ = std::ranges::mismatch(indices, want.indices);
  if (differ.in1 != indices.end()) {
    const auto at = static_cast<std::size_t>(differ.in1 - indices.begin());
    const auto first =
        problem.logits.begin() + static_cast<std::ptrdiff_t>(at / problem.k * problem.vocabulary);
    FAIL() << "place " << at % problem.k << " of row " << at / problem.k << " is " << *differ.in1
           << " instead of " << *differ.in2 << "; the row is "
           << testing::PrintToString(std::vector<float>(
                  first, first + static_cast<std::ptrdiff_t>(problem.vocabulary)));
  }
  const Comparison compared =
      CompareWithin<float, long double>(probabilities, want.probabilities, want.bounds, {});
  EXPECT_TRUE(compared.AllWithin()) << Describe("probabilities", compared);
}

TEST(TopkSpecialValues, EveryRowOfUpToSix_AndEveryK) {
  for (std::size_t length = 1; length <= kMostSpecialValues; ++length) {
    const std::vector<float> rows = EveryRowOf(kSpecialValues<float>, length);
    for (std::size_t k = 1; k <= length; ++k) {
      ExpectRight({.rows = rows.size() / length, .vocabulary = length, .k = k, .logits = rows});
    }
  }
}

/// Rows long enough that the threshold is known before they are scanned: only then is a block
/// passed over.
constexpr std::size_t kLongRow = 300;

std::vector<float> LongRows(std::size_t rows) {
  std::vector<float> logits(rows * kLongRow);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] = -2.0F - static_cast<float>(i * 7919 % 101) / 101.0F;
  }
  return logits;
}

/// In x86's vectors a maximum is its second operand where either is NaN: it hid what the others of
/// the block had in that lane.
TEST(TopkSpecialValues, ANanAnywhere_HidesNoMaximum) {
  for (const std::size_t k : {1U, 8U}) {
    for (std::size_t maximum = 0; maximum < kLongRow; ++maximum) {
      std::vector<float> logits = LongRows(kLongRow);
      for (std::size_t nan = 0; nan < kLongRow; ++nan) {
        logits[nan * kLongRow + nan] = kNan;
        logits[nan * kLongRow + maximum] = nan == maximum ? kNan : 1.0F;
      }
      ASSERT_NO_FATAL_FAILURE(
          ExpectRight({.rows = kLongRow, .vocabulary = kLongRow, .k = k, .logits = logits}));
    }
  }
}

/// All rows of six again, the six in one lane of vectors of 4, 8 and 16, or side by side, from
/// within one block of vectors into the next one.
TEST(TopkSpecialValues, EveryRowOfSixWithinALongOne) {
  constexpr std::size_t kBatch = 7776;  // 6^5.
  const std::vector<float> sixes = EveryRowOf(kSpecialValues<float>, kMostSpecialValues);
  for (const std::size_t apart : {1U, 4U, 8U, 16U}) {
    for (std::size_t first = 0; first < sixes.size(); first += kBatch * kMostSpecialValues) {
      std::vector<float> logits = LongRows(kBatch);
      for (std::size_t i = 0; i < kBatch * kMostSpecialValues; ++i) {
        const std::size_t place = 131 + i % kMostSpecialValues * apart;
        logits[i / kMostSpecialValues * kLongRow + place] = sixes[first + i];
      }
      for (const std::size_t k : {1U, 8U}) {
        ASSERT_NO_FATAL_FAILURE(
            ExpectRight({.rows = kBatch, .vocabulary = kLongRow, .k = k, .logits = logits}));
      }
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk

// SPDX-License-Identifier: Apache-2.0
// The CPU form against the definition in double, and how the CUDA form deals out its work. The
// suite judges both a second time, as it judges submissions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "baseline_plan.h"
#include "interface.h"

namespace assay::softmax_topk_baseline {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

struct Result {
  int status = 0;
  std::vector<float> probabilities;
  std::vector<std::int32_t> indices;
};

/// Rows lie `gap` apart, with NaN between them, and begin one element past an aligned address.
Result Run(const std::vector<std::vector<float>>& rows, std::size_t k, std::size_t gap = 3) {
  const std::size_t vocabulary = rows.front().size();
  const std::size_t stride = vocabulary + gap;
  std::vector<float> logits(1 + rows.size() * stride, kNan);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::ranges::copy(rows[r], logits.begin() + static_cast<std::ptrdiff_t>(1 + r * stride));
  }
  Result result{.probabilities = std::vector<float>(rows.size() * k, -1),
                .indices = std::vector<std::int32_t>(rows.size() * k, -1)};
  result.status = softmax_topk_cpu_f32(rows.size(), vocabulary, k, logits.data() + 1, stride,
                                       result.probabilities.data(), result.indices.data());
  return result;
}

/// The first k indices in the order of interface.h.
std::vector<std::int32_t> Order(const std::vector<float>& row, std::size_t k) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    const float x = row[static_cast<std::size_t>(a)];
    const float y = row[static_cast<std::size_t>(b)];
    if (std::isnan(x) != std::isnan(y)) {
      return std::isnan(y);
    }
    return x > y || (!(y > x) && a < b);
  });
  order.resize(k);
  return order;
}

void ExpectRight(const std::vector<std::vector<float>>& rows, std::size_t k) {
  SCOPED_TRACE(testing::Message() << rows.size() << " x " << rows.front().size() << ", k " << k);
  const Result got = Run(rows, k);
  ASSERT_EQ(got.status, SOFTMAX_TOPK_OK);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto first = got.indices.begin() + static_cast<std::ptrdiff_t>(r * k);
    const std::vector<std::int32_t> order = Order(rows[r], k);
    EXPECT_EQ(std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(k)), order);
    const double maximum = std::accumulate(rows[r].begin(), rows[r].end(), -double{kInfinity},
                                           [](double a, double b) { return std::fmax(a, b); });
    double sum = 0;
    for (const float x : rows[r]) {
      sum += std::exp(x - maximum);
    }
    for (std::size_t i = 0; i < k; ++i) {
      const double difference = rows[r][static_cast<std::size_t>(order[i])] - maximum;
      const double want = std::exp(difference) / sum;
      const double got_here = got.probabilities[r * k + i];
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got_here)) << r << ", " << i;
      } else {
        const double relative = want == 0 ? 0 : 2e-6 + 1.2e-7 * std::abs(difference);
        EXPECT_NEAR(got_here, want, want * relative + 2e-38) << r << ", " << i;
      }
    }
  }
}

std::vector<std::vector<float>> Rows(std::size_t rows, std::size_t vocabulary,
                                     const std::function<float(std::size_t)>& logit) {
  std::vector<std::vector<float>> matrix(rows, std::vector<float>(vocabulary));
  for (std::vector<float>& row : matrix) {
    for (std::size_t i = 0; i < vocabulary; ++i) {
      row[i] = logit(i);
    }
  }
  return matrix;
}

std::vector<std::vector<float>> Normal(std::size_t rows, std::size_t vocabulary, double scale = 1) {
  std::mt19937_64 random(rows * 1000 + vocabulary);
  std::normal_distribution<double> normal(0, scale);
  return Rows(rows, vocabulary, [&](std::size_t) { return static_cast<float>(normal(random)); });
}

TEST(CpuBaseline, EveryWidthAroundABlockAndEveryK_IsRight) {
  for (const std::size_t vocabulary : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 129U, 1000U}) {
    for (const std::size_t k : {1U, 2U, 5U, 64U, 100U, 1000U}) {
      if (k <= vocabulary) {
        ExpectRight(Normal(3, vocabulary), k);
      }
    }
  }
}

TEST(CpuBaseline, LongRows_AreSeededAndPruned) {
  for (const std::size_t vocabulary : {4095U, 4096U, 32000U}) {
    for (const std::size_t k : {1U, 8U, 50U, 128U, 129U, 1024U}) {
      ExpectRight(Normal(2, vocabulary), k);
    }
  }
}

TEST(CpuBaseline, OrderedRows_RescaleAtEveryStepOrNever) {
  ExpectRight(Rows(1, 9000, [](std::size_t i) { return static_cast<float>(i) * 1e-3F; }), 50);
  ExpectRight(Rows(1, 9000, [](std::size_t i) { return static_cast<float>(i) * -1e-3F; }), 50);
  ExpectRight(Normal(2, 9000, 1000), 50);
}

TEST(CpuBaseline, EqualLogits_LowerIndexFirstAndZerosAreEqual) {
  ExpectRight(Rows(2, 9000, [](std::size_t) { return 0.5F; }), 300);
  ExpectRight(Rows(2, 9000, [](std::size_t i) { return i % 3 == 0 ? -0.0F : 0.0F; }), 50);
  ExpectRight(Rows(2, 9000, [](std::size_t i) { return static_cast<float>(i * 7919 % 13); }), 50);
}

TEST(CpuBaseline, InfinitiesNanAndHugeLogits) {
  const auto huge = std::numeric_limits<float>::max();
  for (const std::size_t vocabulary : {100U, 9000U}) {
    for (const auto& row : std::vector<std::function<float(std::size_t)>>{
             [](std::size_t) { return -kInfinity; },
             [](std::size_t i) { return i == 70 ? -3.0F : -kInfinity; },
             [](std::size_t i) { return i == 70 ? kInfinity : 1.0F; },
             [](std::size_t i) { return i % 5 == 2 ? kNan : static_cast<float>(i); },
             [](std::size_t i) { return i < 8 ? -kInfinity : -kNan; },
             [](std::size_t i) { return i < 6000 ? -kInfinity : static_cast<float>(i % 97); },
             [](std::size_t i) { return i % 700 == 9 ? static_cast<float>(i) : -kInfinity; },
             [](std::size_t i) { return i % 100 == 9 ? kInfinity : static_cast<float>(i); },
             [&](std::size_t i) { return i % 2 == 0 ? huge : -huge; },
             [&](std::size_t) { return -huge; }}) {
      ExpectRight(Rows(2, vocabulary, row), 20);
    }
  }
}

TEST(CpuBaseline, ARowWithNan_LeavesOthersAlone) {
  std::vector<std::vector<float>> rows = Normal(3, 500);
  rows[1][17] = kNan;
  ExpectRight(rows, 10);
}

TEST(CpuBaseline, BadArguments_AreRefusedAndNothingIsToDoForNone) {
  EXPECT_EQ(softmax_topk_cpu_f32(1, 4, 5, nullptr, 4, nullptr, nullptr),
            SOFTMAX_TOPK_INVALID_ARGUMENT);
  EXPECT_EQ(softmax_topk_cpu_f32(1, 4, 2, nullptr, 3, nullptr, nullptr),
            SOFTMAX_TOPK_INVALID_ARGUMENT);
  EXPECT_EQ(softmax_topk_cpu_f32(0, 4, 2, nullptr, 4, nullptr, nullptr), SOFTMAX_TOPK_OK);
  EXPECT_EQ(softmax_topk_cpu_f32(1, 4, 0, nullptr, 4, nullptr, nullptr), SOFTMAX_TOPK_OK);
}

TEST(Plan, EnoughRows_AreNotSplit) {
  EXPECT_EQ(MakePlan(kEnoughRows, kLargestVocabulary, 8).splits, 1U);
  EXPECT_EQ(WorkspaceBytes(MakePlan(64, 32768, 8), 64, 8), 0U);
}

TEST(Plan, OneLongRow_IsSplitOverManyBlocks) {
  EXPECT_GE(MakePlan(1, 131072, 8).splits, 30U);
  EXPECT_GE(MakePlan(1, 128256, 50).splits, 20U);
}

TEST(Plan, Splits_CoverTheRowAndHoldKEachAndKeepTheLimits) {
  for (const std::size_t rows : {1U, 2U, 7U, 53U}) {
    for (std::size_t vocabulary = 1; vocabulary <= kLargestVocabulary;
         vocabulary = vocabulary * 5 / 4 + 1) {
      for (const std::size_t k : {1U, 8U, 50U, 256U, 257U, 1024U}) {
        if (k > vocabulary) {
          continue;
        }
        SCOPED_TRACE(testing::Message() << rows << " x " << vocabulary << ", k " << k);
        const Plan plan = MakePlan(rows, vocabulary, k);
        EXPECT_GE(plan.splits * plan.elements_per_split, vocabulary);
        EXPECT_LT((plan.splits - 1) * plan.elements_per_split, vocabulary);
        // "At most a quarter of the bytes of its logits and 64 KiB", of two bytes each.
        EXPECT_LE(WorkspaceBytes(plan, rows, k), rows * vocabulary / 2 + (64U << 10));
      }
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk_baseline

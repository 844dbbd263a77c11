// SPDX-License-Identifier: Apache-2.0
#include "calculators.h"

#include <gtest/gtest.h>

namespace assay::layernorm {
namespace {

// 3 rows of 2 features: small enough to count on paper.
constexpr Workload kSmall{.rows = 3, .features = 2, .element_bytes = 8};
// The published size. N D = 6,291,456.
constexpr Workload kLarge{.rows = 8192, .features = 768, .element_bytes = 4};

TEST(Calculators, ForwardFlopsCountedByHand) {
  // Six elements of seven operations are 42; three rows of five are 15.
  EXPECT_EQ(ForwardFlops(kSmall), 57);
  EXPECT_EQ(ForwardFlops(kLarge), 44'081'152);  // 44,040,192 + 40,960
}

TEST(Calculators, BackwardFlopsCountedByHand) {
  EXPECT_EQ(BackwardFlops(kSmall), 72);          // 66 + 6
  EXPECT_EQ(BackwardFlops(kLarge), 69'222'400);  // 69,206,016 + 16,384
}

TEST(Calculators, LeastSavedBytesCountedByHand) {
  // xhat 6, rstd 3, gamma 2: 11 doubles.
  EXPECT_EQ(LeastSavedBytes(kSmall), 88);
  EXPECT_EQ(LeastSavedBytes(kLarge), 25'201'664);  // 6,300,416 floats
}

TEST(Calculators, TrafficCountedByHand) {
  // Forward: x 6, gamma 2, beta 2, y 6 and 11 saved: 27 doubles. Backward: dy 6, dx 6, dgamma 2,
  // dbeta 2 and 11 loaded: 27 again.
  EXPECT_EQ(ForwardBytes(kSmall), 216);
  EXPECT_EQ(BackwardBytes(kSmall), 216);
  // 18,874,368 + 8,192 + 2,304 = 18,884,864 floats.
  EXPECT_EQ(ForwardBytes(kLarge), 75'539'456);
  EXPECT_EQ(BackwardBytes(kLarge), 75'539'456);
}

TEST(Calculators, UnfusedTrafficCountedByHand) {
  // d 14, M1 9, M2 15, dx 27, dgamma 14, dbeta 8: 87 doubles.
  EXPECT_EQ(UnfusedBackwardBytes(kSmall), 696);
  // 69,206,016 + 40,960 + 2,304 = 69,249,280 floats.
  EXPECT_EQ(UnfusedBackwardBytes(kLarge), 276'997'120);
}

TEST(Calculators, PartialSumsCountedByHand) {
  // Five blocks of 2 + 2 doubles are 160 bytes, written and read.
  EXPECT_EQ(PartialSumBytes(kSmall, 5), 320);
  EXPECT_EQ(PartialSumBytes(kLarge, 132), 1'622'016);
}

TEST(Calculators, IntensityDecidesWhatBounds) {
  EXPECT_NEAR(BackwardIntensity(kLarge), 0.9164, 1e-4);
  EXPECT_NEAR(BackwardIntensity(kSmall), 1.0 / 3, 1e-12);
  EXPECT_EQ(BackwardBound(kLarge, {.flops_per_second = 19.5e12, .bytes_per_second = 2.04e12}),
            "memory");
  EXPECT_EQ(BackwardBound(kLarge, {.flops_per_second = 0.5e9, .bytes_per_second = 8e9}), "compute");
}

}  // namespace
}  // namespace assay::layernorm

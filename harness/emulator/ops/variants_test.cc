// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

using ::testing::HasSubstr;

TEST(VariantsTest, ThisMachineRunsOneOfThem) {
  EXPECT_EQ(WhyNoHandlers(), std::nullopt);
  EXPECT_FALSE(ArithmeticVariants().empty());
}

TEST(VariantsTest, TheWidestComesFirstAndNoneIsTooWide) {
  for (const Vectors machine : {Vectors::kAny, Vectors::kAvx2, Vectors::kAvx512}) {
    Vectors widest = machine;
    for (const HandlerVariant& variant : ArithmeticVariants(machine)) {
      EXPECT_LE(variant.vectors, widest) << variant.name;
      widest = variant.vectors;
    }
  }
}

TEST(VariantsTest, AMachineTooNarrowForAllIsToldWhatWasBuiltAndTheRemedy) {
  const std::string why = WhyNoHandlers(Vectors::kAny).value_or("");
  EXPECT_THAT(why, HasSubstr("built for machines with avx"));
  EXPECT_THAT(why, HasSubstr("-DASSAY_GPU_ISAS=ALL"));
}

}  // namespace
}  // namespace assay::gpu

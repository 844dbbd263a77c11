// SPDX-License-Identifier: Apache-2.0
// What the tests of the instructions of a warp share.
#ifndef ASSAY_EMULATOR_OPS_WARP_OPS_FOR_TEST_H_
#define ASSAY_EMULATOR_OPS_WARP_OPS_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "emulator/ops/warp_rig.h"

namespace assay::gpu {

/// A rig, and random numbers that are the same in every run.
class WarpOpsFixture : public testing::TestWithParam<HandlerVariant> {
 protected:
  using Form = WarpRig::Form;

  std::uint32_t Random() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::uint32_t>(state_ >> 16U);
  }
  PerLane<std::uint32_t> RandomLanes() {
    PerLane<std::uint32_t> lanes;
    for (auto& each : lanes) {
      each = Random();
    }
    return lanes;
  }

  WarpRig rig_{GetParam()};

 private:
  std::uint64_t state_ = 88172645463325252U;
};

/// Runs the tests of `suite` in every instruction set that was built and that this machine has.
#define ASSAY_IN_EVERY_VARIANT(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Variants, suite, testing::ValuesIn(WarpVariants()), \
                           [](const auto& variant) { return std::string(variant.param.name); })

/// What a register held before, where it may keep it.
inline constexpr std::uint32_t kOld = 0x01d01d00;

inline bool Has(LaneMask mask, std::uint32_t lane) { return ((mask >> lane) & 1U) != 0; }

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_WARP_OPS_FOR_TEST_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_BLOCK_ORDER_H_
#define ASSAY_EMULATOR_MEMORY_BLOCK_ORDER_H_

#include <cstdint>

namespace assay::gpu {

/// Whether blocks of a launch may tell each other something (OrderSensitive, cooperative): if so
/// all of them run on one worker, and what they say orders their accesses for racecheck.
enum class BlockOrder : std::uint8_t { kIndependent, kSequential };

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_BLOCK_ORDER_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_WORK_STAMP_H_
#define ASSAY_EMULATOR_CORE_WORK_STAMP_H_

#include <algorithm>
#include <cstdint>
#include <map>

namespace assay::gpu {

/// Of each stream the number of the last piece of work that something is ordered behind.
using StreamClock = std::map<std::uint64_t, std::uint64_t>;

inline void JoinClock(StreamClock& clock, const StreamClock& other) {
  for (const auto& [stream, number] : other) {
    std::uint64_t& known = clock[stream];
    known = std::max(known, number);
  }
}

/// The place of a piece of work in a program's order. Numbers ascend over all streams.
struct WorkStamp {
  std::uint64_t stream = 0;  ///< The default stream is 1.
  std::uint64_t number = 0;
  StreamClock behind = {};           ///< Itself too.
  StreamClock waited = {};           ///< What the host had waited for: all that comes is behind it.
  std::uint64_t waited_for_all = 0;  ///< And all up to this number.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_WORK_STAMP_H_

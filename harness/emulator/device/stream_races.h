// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_STREAM_RACES_H_
#define ASSAY_EMULATOR_DEVICE_STREAM_RACES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "emulator/core/work_stamp.h"
#include "emulator/memory/footprint.h"
#include "emulator/report/finding.h"

namespace assay::gpu {

/// A piece of work that may go on beside others.
struct StreamWork {
  WorkStamp stamp;
  std::string name = {};  ///< A kernel's, or what it is otherwise.
  std::uint64_t launch = 0;
  Footprint footprint = {};
  std::map<std::uint32_t, Site> sites = {};  ///< By instruction: those that `footprint` names.
};

/// Pieces of work that the host has not waited for yet, and races among them: two on different
/// streams touch one byte, one of them writes, and nothing orders them. Knows the last kMostRuns
/// runs of bytes.
class StreamRaces {
 public:
  static constexpr std::size_t kMostRuns = std::size_t{1} << 22;

  /// The races of `work` with what came before, each pair of kinds once; keeps it.
  [[nodiscard]] std::vector<Finding> Add(StreamWork work);
  /// Memory that was given back: who touches the same addresses next touches other memory.
  void Forget(std::uint64_t begin, std::uint64_t end);

 private:
  void DropWhatIsOver(const WorkStamp& stamp);
  /// Until kMostRuns are left.
  void DropTheOldest();

  std::deque<StreamWork> works_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_STREAM_RACES_H_

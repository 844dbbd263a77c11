// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_RELEASE_CHAINS_H_
#define ASSAY_EMULATOR_MEMORY_RELEASE_CHAINS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::gpu {

/// What of a block's accesses is over for whoever hears of it. kAll: it ran a fence before it told.
/// kReads: it passed a barrier and told without a fence; what it read is read, but what it wrote
/// may still be on its way.
enum class Settled : std::uint8_t { kReads, kAll };

/// Who told whom in a launch whose blocks run on one worker: blocks write flags, and others read
/// them.
class ReleaseChains {
 public:
  /// `block` has written `address`.
  void Release(std::uint32_t block, std::uint64_t address, Settled settled);
  /// `block` has read `address`.
  void Acquire(std::uint32_t block, std::uint64_t address);
  [[nodiscard]] bool HasAcquired(std::uint32_t block) const { return acquired_.contains(block); }
  /// Whether `later` knows that these accesses of `earlier` are over.
  [[nodiscard]] bool Ordered(std::uint32_t earlier, std::uint32_t later, Settled accesses) const;
  void Clear();

 private:
  struct Told {
    std::uint32_t block = 0;
    Settled settled = Settled::kReads;
  };
  struct Flag {
    std::vector<Told> chain;  // In the order of time; of a block each kind once.
    std::unordered_map<std::uint32_t, std::uint32_t> reads;  // Of a block: first index in chain.
    std::unordered_map<std::uint32_t, std::uint32_t> all;    // The first of kAll.
  };
  std::unordered_map<std::uint64_t, Flag> flags_;  // By address.
  // By block: how much of a flag's chain it has seen.
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>> acquired_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_RELEASE_CHAINS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_L2_CACHE_H_
#define ASSAY_EMULATOR_MEMORY_L2_CACHE_H_

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace assay::gpu {

/// A request to the L2 for sectors of one 128-byte line: line << 8 | sectors << 2 | write << 1 |
/// read. Bit s of the four `sectors`: bytes [32 s, 32 s + 32) of the line.
inline constexpr unsigned kL2LineShift = 8;
inline constexpr unsigned kL2SectorShift = 2;
inline constexpr std::uint64_t kL2Write = 2;
inline constexpr std::uint64_t kL2Read = 1;
inline constexpr unsigned kL2LineBytesShift = 7;

/// Of a large L2 one line in eight is simulated, in an eighth of the capacity, and counted eight
/// times: which lines is decided by a hash. Smaller ones are simulated whole.
inline constexpr std::uint64_t kL2SampledFrom_bytes = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kL2Sampling = 8;
[[nodiscard]] constexpr std::uint64_t L2SkipMask(std::uint64_t capacity_bytes) {
  return capacity_bytes >= kL2SampledFrom_bytes ? kL2Sampling - 1 : 0;
}

struct L2Traffic {
  std::uint64_t dram_read_sectors = 0;
  std::uint64_t dram_written_sectors = 0;
  bool operator==(const L2Traffic&) const = default;
};

/// The stated model of an L2: lines of 128 bytes in sectors of 32, 16 ways, least recently used
/// goes first, sets chosen by a hash of the line, empty at the start of a launch. Every request of
/// an L1 reaches it. A read of an absent sector fetches it; a write does not (L2 keeps byte
/// masks); an atomic does both. Dirty sectors are written back when their line goes, or at Finish.
class L2Cache {
 public:
  explicit L2Cache(std::uint64_t capacity_bytes);
  void Access(std::uint64_t request);
  /// Writes back what is dirty and returns all traffic since the start, or the last Finish.
  L2Traffic Finish();

 private:
  static constexpr std::size_t kWays = 16;
  struct Line {
    std::uint64_t id = ~std::uint64_t{0};
    std::uint8_t valid = 0;
    std::uint8_t dirty = 0;
  };
  using Set = std::array<Line, kWays>;  // Most recently used first.
  std::vector<Set> sets_;
  L2Traffic traffic_;
};

/// Feeds the requests of whole blocks to an L2Cache in schedule order, whichever worker ran them
/// and whenever it was done. Calls from several threads.
class L2Replay {
 public:
  /// Requests that may wait for blocks before theirs: half a GiB.
  static constexpr std::size_t kMaxWaiting = std::size_t{1} << 26;

  void Begin(std::uint64_t capacity_bytes);
  /// Requests of the block at `position` of the schedule, in order; the last part once for every
  /// position.
  enum class Part : std::uint8_t { kMore, kLast };
  void Push(std::uint64_t position, std::span<const std::uint64_t> requests, Part part);
  /// Traffic of the lines that were traced, times kL2Sampling where only those are.
  struct Outcome {
    L2Traffic traffic;
    bool complete = true;  ///< False: too much had to wait; traffic is a part.
  };
  Outcome Finish();

 private:
  struct Waiting {
    std::vector<std::uint64_t> requests;
    bool done = false;
  };
  void Replay(std::span<const std::uint64_t> requests);

  std::mutex mutex_;
  std::vector<L2Cache> cache_;  // One, while a launch runs.
  std::map<std::uint64_t, Waiting> waiting_;
  std::size_t waiting_requests_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t sampling_ = 1;
  bool complete_ = true;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_L2_CACHE_H_

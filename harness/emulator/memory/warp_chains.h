// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_WARP_CHAINS_H_
#define ASSAY_EMULATOR_MEMORY_WARP_CHAINS_H_

#include <array>
#include <cstdint>
#include <unordered_map>

namespace assay::gpu {

/// Which warp of a block has told which, by flags in shared memory: a clock a warp and a flag, of
/// the `sync_epoch`s up to which others' accesses are over. A barrier of the block orders all that
/// was before it, so that whoever passes one begins anew.
class WarpChains {
 public:
  /// Forgets all: a block begins.
  void Begin() { Clear(0); }
  /// `warp`, which is in its `sync_epoch`, has fenced and then written `address`.
  void Release(std::uint32_t barrier_epoch, std::uint32_t warp, std::uint32_t sync_epoch,
               std::uint64_t address);
  /// `warp` has read `address`.
  void Acquire(std::uint32_t barrier_epoch, std::uint32_t warp, std::uint64_t address);
  /// Whether `later` knows that what `earlier` did in `sync_epoch` is over.
  [[nodiscard]] bool Ordered(std::uint32_t barrier_epoch, std::uint32_t earlier,
                             std::uint32_t sync_epoch, std::uint32_t later) const;
  /// Whether `later` has heard of `earlier`, or where they are one, of any other.
  [[nodiscard]] bool HasHeard(std::uint32_t barrier_epoch, std::uint32_t earlier,
                              std::uint32_t later) const;

 private:
  static constexpr std::uint32_t kWarps = 32;
  using Clock = std::array<std::uint32_t, kWarps>;  // By warp: 1 + its sync epoch; 0: nothing.

  void Clear(std::uint32_t barrier_epoch);

  std::uint32_t barrier_epoch_ = 0;
  std::array<Clock, kWarps> known_{};  // By the warp that knows.
  std::unordered_map<std::uint64_t, Clock> flags_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_WARP_CHAINS_H_

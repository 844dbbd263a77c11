// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_GLOBAL_MEMORY_H_
#define ASSAY_EMULATOR_MEMORY_GLOBAL_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/device_link.h"
#include "emulator/memory/free_ranges.h"
#include "emulator/memory/l2_cache.h"
#include "emulator/report/finding.h"

namespace assay::gpu {

/// Where device memory is. Device addresses [begin, begin + mapped_bytes) may be read and written
/// at host + (address - begin); nothing of ours is mapped at the device addresses themselves.
struct ArenaView {
  std::uint64_t begin = 0;         ///< Device address; a multiple of 2 MiB; moves with the seed.
  std::uint64_t mapped_bytes = 0;  ///< Grows with allocations: guard zones and freed blocks too.
  std::byte* host = nullptr;
  /// Bit i % 8 of byte i / 8: byte begin + i was written by the host or a kernel.
  std::byte* written_bits = nullptr;
};

/// One live or freed allocation.
struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::string name = {};  ///< Of a module's variable; else empty.
  enum class Writable : std::uint8_t { kYes, kNo } writable = Writable::kYes;
  std::uint64_t serial = 0;  ///< Counts allocations, from 0.
};

/// The device's allocations. Between launches it belongs to one thread at a time; during a launch
/// only the bytes at view() change. Every allocation starts at a multiple of 512 and has at least
/// 512 bytes of guard before and behind it. Fresh memory is poisoned; freed memory is kept out of
/// use as long as there is room. Errors are cudaError_t numbers: 2 out of memory, 1 bad argument.
class GlobalMemory {
 public:
  /// Up to `limit_bytes` of allocations; `seed` moves the addresses and the poison.
  [[nodiscard]] static DeviceResult<std::unique_ptr<GlobalMemory>> Create(std::uint64_t limit_bytes,
                                                                          std::uint64_t seed);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Address 0 for size 0.
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes);
  /// Allocates where a block of just that size was freed and is still kept out of use; what it held
  /// is gone. False: there is no such block at `address`.
  bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes);
  /// A module's .global or .const variable: zeroed, counts as written, never a leak.
  DeviceResult<std::uint64_t> AllocateVariable(std::string name, std::uint64_t size_bytes,
                                               Allocation::Writable writable);
  /// Of what Allocate or AllocateVariable returned. Freeing 0 does nothing. What was never
  /// allocated, or is freed already: error 1, and the detail says which.
  DeviceStatus Free(std::uint64_t address);

  // From the host's side: ranges must lie in one live allocation, else error 1. What is written
  // counts as initialised, except by CopyAsUninitialized; CopyOnDevice copies that with the bytes.
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from);
  DeviceStatus CopyAsUninitialized(std::uint64_t to, std::span<const std::byte> from);
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) const;
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes);
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern, std::uint64_t count);

  /// As DeviceLink has it. What the host then writes to the pages does not count as initialised by
  /// that: copy or fill them once before.
  bool ShareWithHost(std::uint64_t address, std::uint64_t size_bytes);

  [[nodiscard]] const Allocation* Find(std::uint64_t address) const;  ///< Live, holding it.
  [[nodiscard]] std::optional<DeviceVariable> AllocationOf(std::uint64_t address) const;
  [[nodiscard]] std::optional<NearestAllocation> Nearest(std::uint64_t address) const;
  /// The block that was freed last of those that held `address`, while it is kept out of use.
  [[nodiscard]] const Allocation* FindFreed(std::uint64_t address) const;
  /// Live, without variables, in order of allocation.
  [[nodiscard]] std::vector<Allocation> Leaks() const;
  [[nodiscard]] MemoryInfo Memory() const;
  [[nodiscard, gnu::always_inline]] const ArenaView& view() const { return view_; }
  /// Bytes of address space that shadows have to cover.
  [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return used_bytes_; }
  [[nodiscard]] std::uint32_t poison() const { return poison_; }
  /// Where the workers of a launch send what goes through the L2.
  [[nodiscard]] L2Replay& l2() { return l2_; }

 private:
  struct Region {
    std::uint64_t offset = 0;  ///< In the arena, guards included.
    std::uint64_t bytes = 0;
    std::uint64_t charged_bytes = 0;  ///< Against the limit.
    std::uint64_t shared_begin = 0;   ///< Device address of the pages that the host has too.
    std::uint64_t shared_bytes = 0;
    Allocation allocation;
  };

  // A page, or a part of one, which mmap then refuses.
  static constexpr std::uint64_t kPageBytes = 4096;

  GlobalMemory() = default;
  [[nodiscard]] bool ReserveArena();
  void ReserveTrap();
  DeviceResult<Region*> Place(std::uint64_t size_bytes);
  Region* MakeLive(Region region);
  void Poison(const Allocation& allocation);
  void Unshare(Region& region);
  [[nodiscard]] DeviceError NotAllocated(std::uint64_t address) const;
  void Quarantine(Region region);
  void ReleaseOldest();
  void SetWritten(std::uint64_t address, std::uint64_t size_bytes);
  [[nodiscard]] DeviceStatus CheckRange(std::string_view what, std::uint64_t address,
                                        std::uint64_t size_bytes) const;
  [[nodiscard]] std::byte* Host(std::uint64_t address) const {
    return view_.host + (address - view_.begin);
  }

  ArenaView view_;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t limit_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t quarantined_bytes_ = 0;
  std::uint64_t next_serial_ = 0;
  std::uint32_t poison_ = 0;
  std::map<std::uint64_t, Region> live_;  ///< By device address.
  std::deque<Region> quarantine_;         ///< Oldest first.
  FreeRanges free_ranges_;                ///< Of offsets in the arena.
  std::vector<std::pair<void*, std::size_t>> mappings_;
  L2Replay l2_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_GLOBAL_MEMORY_H_

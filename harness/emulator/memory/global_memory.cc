// SPDX-License-Identifier: Apache-2.0
// Theory of operation
//
//   arena:  │ unit │ allocation │ guard │ unit │ freed block │ guard │ free …
//
// * The arena is address space, of which memory is there from its first use. Device addresses are
//   not where it lies: they begin elsewhere (view().begin), at a place where nothing may be mapped,
//   so that a host which follows a device pointer crashes as it would with a real GPU.
// * A region is an allocation with 512 bytes before it and a guard behind it: an access a little
//   out of bounds hits no neighbour, and one anywhere in a region is known for what it is.
// * Fresh memory holds a poison, bytes of 0xf8 to 0xff as the seed has it: in floating point far
//   from zero or no number, so that results which depend on it show. It does not count as written.
// * What is freed waits in the quarantine, oldest first to leave, and its range is free only then:
//   an access to it is a use after free. Allocations push it out where there is no other room.
//
// Here: placing, allocating and freeing. global_memory_host.cc: what the host reads and writes;
// global_memory_find.cc: which allocation an address is in.
#include "emulator/memory/global_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/memory/written_bits.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

constexpr std::uint64_t kUnit = 512;
constexpr std::uint64_t kMaxGuardBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
// Writing the poison commits the memory; programs that ask for gigabytes seldom touch them all.
constexpr std::uint64_t kMaxPoisonedBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxQuarantineBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kFirstDeviceAddress = 0x3000'0000'0000;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t Scramble(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15U;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
  return seed ^ (seed >> 31);
}

DeviceError OutOfMemory(std::uint64_t size_bytes, const MemoryInfo& info) {
  return {.code = cuda_error::kMemoryAllocation,
          .detail = fmt::format("an allocation of {} bytes: {} of the device's {} bytes are free",
                                size_bytes, info.free_bytes, info.total_bytes)};
}

// Guards grow with the allocation, so that an access some rows past its end still hits one.
std::uint64_t GuardBytes(std::uint64_t size_bytes) {
  return std::clamp(RoundUp(size_bytes / 4, kUnit), kUnit, kMaxGuardBytes);
}

}  // namespace

DeviceResult<std::unique_ptr<GlobalMemory>> GlobalMemory::Create(std::uint64_t limit_bytes,
                                                                 std::uint64_t seed) {
  std::unique_ptr<GlobalMemory> memory(new GlobalMemory);
  const std::uint64_t random = Scramble(seed);
  memory->limit_bytes_ = limit_bytes;
  // Address space for guards and for what is kept after cudaFree.
  memory->reserved_bytes_ = RoundUp(2 * limit_bytes + (std::uint64_t{1} << 30), kHugePage);
  memory->view_.begin = kFirstDeviceAddress + (random & 0xffff) * kHugePage;
  if (!memory->ReserveArena()) {
    return std::unexpected(DeviceError{
        .code = cuda_error::kMemoryAllocation,
        .detail = fmt::format("no address space for a device memory of {} bytes; lower the limit",
                              limit_bytes)});
  }
  memory->ReserveTrap();
  const auto low = static_cast<std::uint32_t>(random >> 56) & 0x07U;
  memory->poison_ = 0x01010101U * (0xf8U | low);
  memory->free_ranges_.Give(0, memory->reserved_bytes_);
  return memory;
}

// False: there is no room for the arena or its written bits.
bool GlobalMemory::ReserveArena() {
  const auto reserve = [this](std::uint64_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      return static_cast<std::byte*>(nullptr);
    }
    mappings_.emplace_back(at, bytes);
    return static_cast<std::byte*>(at);
  };
  std::byte* arena = reserve(reserved_bytes_ + kHugePage);
  std::byte* bits = reserve(reserved_bytes_ / 8 + kUnit);
  if (arena == nullptr || bits == nullptr) {
    return false;
  }
  madvise(arena, reserved_bytes_ + kHugePage, MADV_HUGEPAGE);
  view_.host =
      reinterpret_cast<std::byte*>(RoundUp(reinterpret_cast<std::uintptr_t>(arena), kHugePage));
  view_.written_bits = bits;
  return true;
}

// So that nothing of ours ever lies at a device address: a host that follows one crashes.
void GlobalMemory::ReserveTrap() {
#if !defined(__SANITIZE_THREAD__)  // It has its own shadow there, and ends who asks for that place.
  void* trap = mmap(reinterpret_cast<void*>(view_.begin), reserved_bytes_, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (trap != MAP_FAILED) {
    mappings_.emplace_back(trap, reserved_bytes_);
  }
#endif
}

GlobalMemory::~GlobalMemory() {
  for (const auto& [at, bytes] : mappings_) {
    munmap(at, bytes);
  }
}

DeviceResult<GlobalMemory::Region*> GlobalMemory::Place(std::uint64_t size_bytes) {
  if (size_bytes > limit_bytes_ - used_bytes_) {
    return std::unexpected(OutOfMemory(size_bytes, Memory()));
  }
  const std::uint64_t body = RoundUp(size_bytes, kUnit);
  const std::uint64_t guard = GuardBytes(size_bytes);
  const std::uint64_t bytes = kUnit + body + guard;
  std::optional<std::uint64_t> offset = free_ranges_.Take(bytes);
  while (!offset && !quarantine_.empty()) {
    ReleaseOldest();
    offset = free_ranges_.Take(bytes);
  }
  if (!offset) {
    return std::unexpected(OutOfMemory(size_bytes, Memory()));
  }
  const std::uint64_t address = view_.begin + *offset + kUnit;
  view_.mapped_bytes = std::max(view_.mapped_bytes, *offset + bytes);
  Region region{.offset = *offset, .bytes = bytes, .charged_bytes = size_bytes, .allocation = {}};
  region.allocation.address = address;
  region.allocation.size_bytes = size_bytes;
  return MakeLive(std::move(region));
}

GlobalMemory::Region* GlobalMemory::MakeLive(Region region) {
  used_bytes_ += region.charged_bytes;
  region.allocation.serial = next_serial_++;
  ClearBits(view_.written_bits, region.offset, region.bytes);
  const std::uint64_t address = region.allocation.address;
  return &live_.emplace(address, std::move(region)).first->second;
}

void GlobalMemory::Poison(const Allocation& allocation) {
  std::memset(Host(allocation.address) - kUnit, static_cast<int>(poison_ & 0xffU),
              kUnit + std::min(RoundUp(allocation.size_bytes, kUnit) + kUnit, kMaxPoisonedBytes));
}

DeviceResult<std::uint64_t> GlobalMemory::Allocate(std::uint64_t size_bytes) {
  if (size_bytes == 0) {
    return 0;
  }
  const DeviceResult<Region*> region = Place(size_bytes);
  if (!region) {
    return std::unexpected(region.error());
  }
  Poison((*region)->allocation);
  return (*region)->allocation.address;
}

bool GlobalMemory::AllocateAt(std::uint64_t address, std::uint64_t size_bytes) {
  // From the back: what was freed last is asked for most.
  const auto found = std::find_if(quarantine_.rbegin(), quarantine_.rend(), [&](const Region& r) {
    return r.allocation.address == address && r.allocation.size_bytes == size_bytes &&
           r.allocation.name.empty();
  });
  if (found == quarantine_.rend() || size_bytes > limit_bytes_ - used_bytes_) {
    return false;
  }
  Region region = std::move(*found);
  quarantine_.erase(std::next(found).base());
  quarantined_bytes_ -= region.charged_bytes;
  Poison(MakeLive(std::move(region))->allocation);
  return true;
}

DeviceResult<std::uint64_t> GlobalMemory::AllocateVariable(std::string name,
                                                           std::uint64_t size_bytes,
                                                           Allocation::Writable writable) {
  const DeviceResult<Region*> region = Place(std::max<std::uint64_t>(size_bytes, 1));
  if (!region) {
    return std::unexpected(region.error());
  }
  Allocation& allocation = (*region)->allocation;
  allocation.name = name.empty() ? "(unnamed)" : std::move(name);
  allocation.writable = writable;
  std::memset(Host(allocation.address), 0, allocation.size_bytes);
  SetWritten(allocation.address, allocation.size_bytes);
  return allocation.address;
}

DeviceStatus GlobalMemory::Free(std::uint64_t address) {
  if (address == 0) {
    return {};
  }
  const auto it = live_.find(address);
  if (it == live_.end()) {
    return std::unexpected(NotAllocated(address));
  }
  Region region = std::move(it->second);
  live_.erase(it);
  used_bytes_ -= region.charged_bytes;
  Unshare(region);
  Quarantine(std::move(region));
  return {};
}

DeviceError GlobalMemory::NotAllocated(std::uint64_t address) const {
  const Allocation* freed = FindFreed(address);
  std::string detail = fmt::format("cudaFree of {:#x}, ", address);
  if (freed != nullptr && freed->address == address) {
    detail += "which is freed already";
  } else if (const Allocation* inside = Find(address)) {
    detail += fmt::format("which is {} bytes inside an allocation; free its start, {:#x}",
                          address - inside->address, inside->address);
  } else {
    detail += "which was never allocated on the device";
  }
  return {.code = cuda_error::kInvalidValue, .detail = std::move(detail)};
}

void GlobalMemory::Quarantine(Region region) {
  const std::uint64_t address = region.allocation.address;
  const std::uint64_t size_bytes = region.allocation.size_bytes;
  if (size_bytes >= kHugePage) {
    // Gives the memory back; whoever still reads it finds zeros and is reported.
    const std::uint64_t first = RoundUp(address - view_.begin, kPageBytes);
    const std::uint64_t last = (address - view_.begin + size_bytes) / kPageBytes * kPageBytes;
    madvise(view_.host + first, last - first, MADV_DONTNEED);
  } else {
    std::memset(Host(address), static_cast<int>(poison_ & 0xffU), size_bytes);
  }
  quarantined_bytes_ += region.charged_bytes;
  quarantine_.push_back(std::move(region));
  while (quarantined_bytes_ > kMaxQuarantineBytes && quarantine_.size() > 1) {
    ReleaseOldest();
  }
}

void GlobalMemory::ReleaseOldest() {
  const Region region = std::move(quarantine_.front());
  quarantine_.pop_front();
  quarantined_bytes_ -= region.charged_bytes;
  free_ranges_.Give(region.offset, region.bytes);
}

}  // namespace assay::gpu

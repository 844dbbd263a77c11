// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/global_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/unique_fd.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

constexpr std::uint64_t kUnit = 512;
constexpr std::uint64_t kMaxGuardBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kPage = 4096;  // Or a part of one, which mmap then refuses.
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

void* Reserve(std::uint64_t bytes, int protection) {
  void* at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
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
  const std::uint64_t bits_bytes = memory->reserved_bytes_ / 8 + kUnit;
  void* arena = Reserve(memory->reserved_bytes_ + kHugePage, PROT_READ | PROT_WRITE);
  void* bits = Reserve(bits_bytes, PROT_READ | PROT_WRITE);
  for (const auto& [at, bytes] :
       {std::pair(arena, memory->reserved_bytes_ + kHugePage), std::pair(bits, bits_bytes)}) {
    if (at != nullptr) {
      memory->mappings_.emplace_back(at, bytes);
    }
  }
  if (arena == nullptr || bits == nullptr) {
    return std::unexpected(DeviceError{
        .code = cuda_error::kMemoryAllocation,
        .detail = fmt::format("no address space for a device memory of {} bytes; lower the limit",
                              limit_bytes)});
  }
  madvise(arena, memory->reserved_bytes_ + kHugePage, MADV_HUGEPAGE);
  memory->view_.begin = kFirstDeviceAddress + (random & 0xffff) * kHugePage;
  memory->view_.host =
      reinterpret_cast<std::byte*>(RoundUp(reinterpret_cast<std::uintptr_t>(arena), kHugePage));
  memory->view_.written_bits = static_cast<std::byte*>(bits);
#if !defined(__SANITIZE_THREAD__)  // It has its own shadow there, and ends who asks for that place.
  // So that nothing of ours ever lies at a device address: a host that follows one crashes.
  void* trap =
      mmap(reinterpret_cast<void*>(memory->view_.begin), memory->reserved_bytes_, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (trap != MAP_FAILED) {
    memory->mappings_.emplace_back(trap, memory->reserved_bytes_);
  }
#endif
  const auto low = static_cast<std::uint32_t>(random >> 56) & 0x07U;
  memory->poison_ = 0x01010101U * (0xf8U | low);
  memory->free_ranges_[0] = memory->reserved_bytes_;
  return memory;
}

GlobalMemory::~GlobalMemory() {
  for (const auto& [at, bytes] : mappings_) {
    munmap(at, bytes);
  }
}

std::optional<std::uint64_t> GlobalMemory::TakeRange(std::uint64_t bytes) {
  for (auto it = free_ranges_.begin(); it != free_ranges_.end(); ++it) {
    if (it->second < bytes) {
      continue;
    }
    const std::uint64_t offset = it->first;
    const std::uint64_t left = it->second - bytes;
    free_ranges_.erase(it);
    if (left > 0) {
      free_ranges_[offset + bytes] = left;
    }
    return offset;
  }
  return std::nullopt;
}

void GlobalMemory::ReleaseOldest() {
  Region region = std::move(quarantine_.front());
  quarantine_.pop_front();
  quarantined_bytes_ -= region.charged_bytes;
  auto next = free_ranges_.lower_bound(region.offset);
  if (next != free_ranges_.end() && region.offset + region.bytes == next->first) {
    region.bytes += next->second;
    next = free_ranges_.erase(next);
  }
  if (next != free_ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == region.offset) {
      before->second += region.bytes;
      return;
    }
  }
  free_ranges_[region.offset] = region.bytes;
}

DeviceResult<GlobalMemory::Region*> GlobalMemory::Place(std::uint64_t size_bytes) {
  if (size_bytes > limit_bytes_ - used_bytes_) {
    return std::unexpected(OutOfMemory(size_bytes, Memory()));
  }
  const std::uint64_t body = RoundUp(size_bytes, kUnit);
  const std::uint64_t guard = GuardBytes(size_bytes);
  const std::uint64_t bytes = kUnit + body + guard;
  std::optional<std::uint64_t> offset = TakeRange(bytes);
  while (!offset && !quarantine_.empty()) {
    ReleaseOldest();
    offset = TakeRange(bytes);
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
  ClearWritten(view_.begin + region.offset, region.bytes);
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
    return std::unexpected(
        DeviceError{.code = cuda_error::kInvalidValue, .detail = std::move(detail)});
  }
  Region region = std::move(it->second);
  live_.erase(it);
  used_bytes_ -= region.charged_bytes;
  Unshare(region);
  const std::uint64_t size_bytes = region.allocation.size_bytes;
  if (size_bytes >= kHugePage) {
    // Gives the memory back; whoever still reads it finds zeros and is reported.
    const std::uint64_t first = RoundUp(address - view_.begin, kPage);
    const std::uint64_t last = (address - view_.begin + size_bytes) / kPage * kPage;
    madvise(view_.host + first, last - first, MADV_DONTNEED);
  } else {
    std::memset(Host(address), static_cast<int>(poison_ & 0xffU), size_bytes);
  }
  quarantined_bytes_ += region.charged_bytes;
  quarantine_.push_back(std::move(region));
  while (quarantined_bytes_ > kMaxQuarantineBytes && quarantine_.size() > 1) {
    ReleaseOldest();
  }
  return {};
}

bool GlobalMemory::ShareWithHost(std::uint64_t address, std::uint64_t size_bytes) {
  auto after = live_.upper_bound(address);
  if (size_bytes == 0 || after == live_.begin()) {
    return false;
  }
  Region& region = std::prev(after)->second;
  const std::uint64_t end = region.allocation.address + region.allocation.size_bytes;
  if (address % kPage != 0 || size_bytes % kPage != 0 || address + size_bytes > end ||
      region.shared_bytes != 0) {
    return false;
  }
  const UniqueFd file(memfd_create("managed memory", MFD_CLOEXEC));
  if (!file || ftruncate(file.get(), static_cast<off_t>(size_bytes)) != 0) {
    return false;
  }
  for (std::uint64_t done = 0; done < size_bytes;) {
    const ssize_t written =
        pwrite(file.get(), Host(address) + done, size_bytes - done, static_cast<off_t>(done));
    if (written <= 0) {
      return false;
    }
    done += static_cast<std::uint64_t>(written);
  }
  const auto map_at = [&](void* at) {
    return mmap(at, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                file.get(), 0) != MAP_FAILED;
  };
  // In this order: where the second fails the device has its bytes, though in the file.
  const bool shared = map_at(Host(address)) && map_at(reinterpret_cast<void*>(address));
  if (shared) {
    region.shared_begin = address;
    region.shared_bytes = size_bytes;
  }
  return shared;
}

// What is kept of a freed block is ours alone again. The host's side is the host's to unmap.
void GlobalMemory::Unshare(Region& region) {
  if (region.shared_bytes != 0) {
    void* const at = Host(region.shared_begin);
    std::ignore = mmap(at, region.shared_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    madvise(at, region.shared_bytes, MADV_HUGEPAGE);
    region.shared_begin = region.shared_bytes = 0;
  }
}

void GlobalMemory::SetWritten(std::uint64_t address, std::uint64_t size_bytes) {
  std::uint64_t bit = address - view_.begin;
  const std::uint64_t end = bit + size_bytes;
  for (; bit < end && bit % 8 != 0; ++bit) {
    view_.written_bits[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
  }
  if (end / 8 > bit / 8) {
    std::memset(view_.written_bits + bit / 8, 0xff, end / 8 - bit / 8);
    bit = end / 8 * 8;
  }
  for (; bit < end; ++bit) {
    view_.written_bits[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
  }
}

// Callers pass multiples of 8 bytes.
void GlobalMemory::ClearWritten(std::uint64_t address, std::uint64_t size_bytes) {
  std::uint64_t first = (address - view_.begin) / 8;
  const std::uint64_t end = first + size_bytes / 8;
  const std::uint64_t first_page = RoundUp(first, kPage);
  const std::uint64_t end_page = end / kPage * kPage;
  if (first_page < end_page) {
    std::memset(view_.written_bits + first, 0, first_page - first);
    madvise(view_.written_bits + first_page, end_page - first_page, MADV_DONTNEED);
    first = end_page;
  }
  std::memset(view_.written_bits + first, 0, end - first);
}

DeviceStatus GlobalMemory::CheckRange(std::string_view what, std::uint64_t address,
                                      std::uint64_t size_bytes) const {
  if (size_bytes == 0) {
    return {};
  }
  const Allocation* allocation = Find(address);
  if (allocation != nullptr &&
      size_bytes <= allocation->size_bytes - (address - allocation->address)) {
    return {};
  }
  std::string detail = fmt::format("{} {} bytes at {:#x}", what, size_bytes, address);
  if (allocation != nullptr) {
    detail += fmt::format(" runs past the end of the allocation of {} bytes at {:#x}",
                          allocation->size_bytes, allocation->address);
  } else if (FindFreed(address) != nullptr) {
    detail += ", which is freed";
  } else {
    detail += ", which is no device memory";
  }
  return std::unexpected(
      DeviceError{.code = cuda_error::kInvalidValue, .detail = std::move(detail)});
}

DeviceStatus GlobalMemory::CopyToDevice(std::uint64_t to, std::span<const std::byte> from) {
  DeviceStatus status = CopyAsUninitialized(to, from);
  if (status && !from.empty()) {
    SetWritten(to, from.size());
  }
  return status;
}

DeviceStatus GlobalMemory::CopyAsUninitialized(std::uint64_t to, std::span<const std::byte> from) {
  DeviceStatus status = CheckRange("a copy to", to, from.size());
  if (status && !from.empty()) {
    std::memcpy(Host(to), from.data(), from.size());
  }
  return status;
}

DeviceStatus GlobalMemory::CopyFromDevice(std::span<std::byte> to, std::uint64_t from) const {
  if (DeviceStatus status = CheckRange("a copy from", from, to.size()); !status) {
    return status;
  }
  if (!to.empty()) {
    std::memcpy(to.data(), Host(from), to.size());
  }
  return {};
}

DeviceStatus GlobalMemory::CopyOnDevice(std::uint64_t to, std::uint64_t from,
                                        std::uint64_t size_bytes) {
  if (DeviceStatus status = CheckRange("a copy from", from, size_bytes); !status) {
    return status;
  }
  if (DeviceStatus status = CheckRange("a copy to", to, size_bytes); !status) {
    return status;
  }
  if (size_bytes == 0) {
    return {};
  }
  std::memmove(Host(to), Host(from), size_bytes);
  const std::uint64_t source = from - view_.begin;
  const std::uint64_t target = to - view_.begin;
  std::uint64_t done = 0;
  if (source % 8 == 0 && target % 8 == 0) {
    std::memmove(view_.written_bits + target / 8, view_.written_bits + source / 8, size_bytes / 8);
    done = size_bytes / 8 * 8;
  }
  std::vector<bool> written(size_bytes - done);  // The ranges may overlap.
  for (std::uint64_t i = 0; i < written.size(); ++i) {
    const std::uint64_t bit = source + done + i;
    written[i] = ((static_cast<unsigned>(view_.written_bits[bit / 8]) >> (bit % 8)) & 1U) != 0;
  }
  for (std::uint64_t i = 0; i < written.size(); ++i) {
    const std::uint64_t at = target + done + i;
    const auto bit = static_cast<std::byte>(1U << (at % 8));
    std::byte& bits = view_.written_bits[at / 8];
    bits = written[i] ? bits | bit : bits & ~bit;
  }
  return {};
}

DeviceStatus GlobalMemory::Fill(std::uint64_t to, std::span<const std::byte> pattern,
                                std::uint64_t count) {
  if (pattern.empty() || count > limit_bytes_) {
    return std::unexpected(
        DeviceError{.code = cuda_error::kInvalidValue,
                    .detail = fmt::format("a fill of {} times {} bytes", count, pattern.size())});
  }
  const std::uint64_t size_bytes = count * pattern.size();
  if (DeviceStatus status = CheckRange("a fill of", to, size_bytes); !status) {
    return status;
  }
  if (size_bytes == 0) {
    return {};
  }
  const bool all_equal =
      std::ranges::all_of(pattern, [&](std::byte b) { return b == pattern.front(); });
  if (all_equal) {
    std::memset(Host(to), static_cast<int>(pattern.front()), size_bytes);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(Host(to) + i * pattern.size(), pattern.data(), pattern.size());
    }
  }
  SetWritten(to, size_bytes);
  return {};
}

const Allocation* GlobalMemory::Find(std::uint64_t address) const {
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) {
    return nullptr;
  }
  const Allocation& allocation = std::prev(it)->second.allocation;
  return address - allocation.address < allocation.size_bytes ? &allocation : nullptr;
}

const Allocation* GlobalMemory::FindFreed(std::uint64_t address) const {
  for (auto it = quarantine_.rbegin(); it != quarantine_.rend(); ++it) {
    if (address - it->allocation.address < it->allocation.size_bytes) {
      return &it->allocation;
    }
  }
  return nullptr;
}

std::optional<DeviceVariable> GlobalMemory::AllocationOf(std::uint64_t address) const {
  const Allocation* allocation = Find(address);
  if (allocation == nullptr) {
    return std::nullopt;
  }
  return DeviceVariable{.address = allocation->address, .size_bytes = allocation->size_bytes};
}

std::optional<NearestAllocation> GlobalMemory::Nearest(std::uint64_t address) const {
  const auto describe = [&](const Allocation& allocation) {
    NearestAllocation nearest{.address = allocation.address,
                              .size_bytes = allocation.size_bytes,
                              .distance_bytes = 0,
                              .name = allocation.name};
    const std::uint64_t end = allocation.address + allocation.size_bytes;
    if (address < allocation.address) {
      nearest.distance_bytes = -static_cast<std::int64_t>(allocation.address - address);
    } else if (address >= end) {
      // An access that begins right at the end is 1 byte after it, in compute-sanitizer's words.
      nearest.distance_bytes = static_cast<std::int64_t>(address - end) + 1;
    }
    return nearest;
  };
  if (const Allocation* freed = Find(address) == nullptr ? FindFreed(address) : nullptr) {
    return describe(*freed);
  }
  const auto after = live_.upper_bound(address);
  std::optional<NearestAllocation> best;
  if (after != live_.begin()) {
    best = describe(std::prev(after)->second.allocation);
  }
  if (after != live_.end()) {
    const NearestAllocation behind = describe(after->second.allocation);
    if (!best || -behind.distance_bytes < best->distance_bytes) {
      best = behind;
    }
  }
  return best;
}

std::vector<Allocation> GlobalMemory::Leaks() const {
  std::vector<Allocation> leaks;
  for (const auto& [address, region] : live_) {
    if (region.allocation.name.empty()) {
      leaks.push_back(region.allocation);
    }
  }
  std::ranges::sort(leaks, {}, &Allocation::serial);
  return leaks;
}

MemoryInfo GlobalMemory::Memory() const {
  return {.free_bytes = limit_bytes_ - used_bytes_, .total_bytes = limit_bytes_};
}

}  // namespace assay::gpu

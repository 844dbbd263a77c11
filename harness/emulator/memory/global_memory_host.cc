// SPDX-License-Identifier: Apache-2.0
// The host's side of device memory: copies, fills, and pages that both have.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/unique_fd.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/written_bits.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {

void GlobalMemory::SetWritten(std::uint64_t address, std::uint64_t size_bytes) {
  SetBits(view_.written_bits, address - view_.begin, size_bytes);
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
  CopyBits(view_.written_bits, to - view_.begin, from - view_.begin, size_bytes);
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

bool GlobalMemory::ShareWithHost(std::uint64_t address, std::uint64_t size_bytes) {
  auto after = live_.upper_bound(address);
  if (size_bytes == 0 || after == live_.begin()) {
    return false;
  }
  Region& region = std::prev(after)->second;
  const std::uint64_t end = region.allocation.address + region.allocation.size_bytes;
  if (address % kPageBytes != 0 || size_bytes % kPageBytes != 0 || address + size_bytes > end ||
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

}  // namespace assay::gpu

// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/mirror.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

std::uint64_t PageBytes() {
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return page_bytes;
}

/// The element of a map from base to something with a size that holds `address`.
const Mirror* FindIn(const std::map<std::uint64_t, Mirror>& mirrors, std::uint64_t address) {
  auto after = mirrors.upper_bound(address);
  if (after == mirrors.begin()) {
    return nullptr;
  }
  const auto& [base, mirror] = *--after;
  return address - base < mirror.size_bytes ? &mirror : nullptr;
}

/// The first page that a range touches, its last page, both by address.
struct Pages {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
Pages PagesOf(std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t mask = ~(PageBytes() - 1);
  return {address & mask, (address + std::max<std::uint64_t>(size_bytes, 1) - 1) & mask};
}

/// Whether all that lies in a range of addresses is reserved and cannot be touched: the device's
/// own reservation of its addresses. Only such may be replaced.
bool IsReserved(std::uint64_t address, std::uint64_t size_bytes) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::array<char, 5> protection{};
    constexpr int kFields = 3;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, protection.data()) !=
        kFields) {
      return false;
    }
    if (begin < address + size_bytes && address < end &&
        std::string_view(protection.data()) != "---p") {
      return false;
    }
  }
  return true;
}

bool MapAt(std::uint64_t address, std::uint64_t size_bytes) {
  void* const wanted = std::bit_cast<void*>(address);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // Kernels before 4.17 take MAP_FIXED_NOREPLACE for a hint: compare what came back.
  void* mapped =
      mmap(wanted, size_bytes, PROT_READ | PROT_WRITE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != MAP_FAILED && mapped != wanted) {
    munmap(mapped, size_bytes);
    mapped = MAP_FAILED;
  }
  if (mapped == MAP_FAILED && IsReserved(address, size_bytes)) {
    mapped = mmap(wanted, size_bytes, PROT_READ | PROT_WRITE, kFlags | MAP_FIXED, -1, 0);
  }
  return mapped != MAP_FAILED;
}

/// Gives the memory back and keeps the addresses, so that nothing else comes to lie there and use
/// after free faults.
void UnmapAt(std::uint64_t address, std::uint64_t size_bytes) {
  std::ignore = mmap(std::bit_cast<void*>(address), size_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// What launches have to copy: all that is not shared.
template <class Copy>
DeviceStatus ForEachCopied(const Mirror& mirror, Copy copy) {
  for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, mirror.shared_begin},
                                   {mirror.shared_end, mirror.size_bytes}}) {
    if (begin < end) {
      const std::span host{std::bit_cast<std::byte*>(mirror.host + begin), end - begin};
      if (auto copied = copy(mirror.device + begin, host); !copied) {
        return copied;
      }
    }
  }
  return {};
}

}  // namespace

void Mirrors::Add(const Mirror& mirror) {
  by_host_[mirror.host] = mirror;
  by_device_[mirror.device] = mirror;
}

void Mirrors::Remove(const Mirror& mirror) {
  const std::uint64_t device = mirror.device;  // `mirror` may lie in the map that loses it.
  by_host_.erase(mirror.host);
  by_device_.erase(device);
}

void Mirrors::Clear() {
  for (const auto& [address, mirror] : by_device_) {
    if (mirror.host == mirror.device) {
      UnmapPages(address, mirror.size_bytes);
    }
  }
  by_host_.clear();
  by_device_.clear();
}

const Mirror* Mirrors::FindByHost(std::uint64_t address) const { return FindIn(by_host_, address); }
const Mirror* Mirrors::FindByDevice(std::uint64_t address) const {
  return FindIn(by_device_, address);
}

std::pair<std::uint64_t, std::uint64_t> Mirrors::OwnPages(std::uint64_t address,
                                                          std::uint64_t size_bytes) {
  const auto [first, last] = PagesOf(address, size_bytes);
  const std::uint64_t inside = first + PageBytes();
  return {inside, last > inside ? last - inside : 0};
}

bool Mirrors::MapPages(std::uint64_t address, std::uint64_t size_bytes) {
  const auto [first, last] = PagesOf(address, size_bytes);
  const auto map_edge = [&](std::uint64_t page) {
    return edge_pages_.contains(page) || MapAt(page, PageBytes());
  };
  if (!map_edge(first)) {
    return false;
  }
  ++edge_pages_[first];
  if (first == last) {
    return true;
  }
  const std::uint64_t inside = first + PageBytes();
  const bool inside_mapped = inside == last || MapAt(inside, last - inside);
  if (inside_mapped && map_edge(last)) {
    ++edge_pages_[last];
    return true;
  }
  if (inside_mapped && inside != last) {
    UnmapAt(inside, last - inside);
  }
  UnmapPages(address, 1);
  return false;
}

void Mirrors::UnmapPages(std::uint64_t address, std::uint64_t size_bytes) {
  const auto [first, last] = PagesOf(address, size_bytes);
  const auto unmap_edge = [&](std::uint64_t page) {
    const auto found = edge_pages_.find(page);
    if (found != edge_pages_.end() && --found->second == 0) {
      edge_pages_.erase(found);
      UnmapAt(page, PageBytes());
    }
  };
  unmap_edge(first);
  if (first == last) {
    return;
  }
  unmap_edge(last);
  const std::uint64_t inside = first + PageBytes();
  if (inside != last) {
    UnmapAt(inside, last - inside);
  }
}

cudaError_t AllocateManaged(State& state, std::uint64_t size_bytes, std::uint64_t* address) {
  const auto allocated = state.device->Allocate(size_bytes);
  if (!allocated) {
    return allocated.error().code == cudaErrorMemoryAllocation
               ? cudaErrorMemoryAllocation
               : Fail(state, "cudaMallocManaged", allocated.error());
  }
  if (const cudaError_t error = AdoptManaged(state, *allocated, size_bytes); error != cudaSuccess) {
    std::ignore = state.device->Free(*allocated);
    return error;
  }
  // The driver hands out managed memory zeroed, and so is ours on both sides.
  const std::byte zero{};
  if (const auto filled = state.device->Fill(*allocated, {&zero, 1}, size_bytes); !filled) {
    ReleaseManaged(state, *allocated);
    std::ignore = state.device->Free(*allocated);
    return Fail(state, "cudaMallocManaged", filled.error());
  }
  *address = *allocated;
  return cudaSuccess;
}

cudaError_t AdoptManaged(State& state, std::uint64_t address, std::uint64_t size_bytes) {
  if (!state.mirrors.MapPages(address, size_bytes)) {
    Notice(state, "cudaMallocManaged", cudaErrorMemoryAllocation,
           fmt::format("this process cannot map host memory at device address {:#x} ({} bytes): "
                       "the range is in use, or memory is short; use cudaMalloc and cudaMemcpy",
                       address, size_bytes));
    return cudaErrorMemoryAllocation;
  }
  Mirror mirror{.host = address, .device = address, .size_bytes = size_bytes};
  const auto [pages, pages_bytes] = Mirrors::OwnPages(address, size_bytes);
  if (pages_bytes != 0 && state.device->ShareWithHost(pages, pages_bytes)) {
    mirror.shared_begin = pages - address;
    mirror.shared_end = pages - address + pages_bytes;
  }
  state.mirrors.Add(mirror);
  return cudaSuccess;
}

void ReleaseManaged(State& state, std::uint64_t address) {
  if (const Mirror* const mirror = state.mirrors.FindByDevice(address)) {
    state.mirrors.UnmapPages(mirror->device, mirror->size_bytes);
    state.mirrors.Remove(*mirror);
  }
}

cudaError_t MirrorHostBuffer(State& state, const void* base, HostBuffer& buffer) {
  if (buffer.device != 0) {
    return cudaSuccess;
  }
  const auto allocated = state.device->Allocate(buffer.size_bytes);
  if (!allocated) {
    return Fail(state, "cudaHostGetDevicePointer", allocated.error());
  }
  buffer.device = *allocated;
  state.mirrors.Add({.host = std::bit_cast<std::uint64_t>(base),
                     .device = *allocated,
                     .size_bytes = buffer.size_bytes});
  return cudaSuccess;
}

HostBuffer* FindHostBuffer(State& state, const void* address, const void** base) {
  auto after = state.host_buffers.upper_bound(address);
  if (after == state.host_buffers.begin()) {
    return nullptr;
  }
  auto& [found, buffer] = *--after;
  const std::uint64_t offset =
      std::bit_cast<std::uint64_t>(address) - std::bit_cast<std::uint64_t>(found);
  *base = found;
  return offset < buffer.size_bytes ? &buffer : nullptr;
}

cudaError_t TranslateHostPointers(State& state, std::span<std::byte> parameters) {
  if (state.host_buffers.empty()) {
    return cudaSuccess;
  }
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, &parameters[at], sizeof word);
    const void* base = nullptr;
    HostBuffer* const buffer = FindHostBuffer(state, std::bit_cast<const void*>(word), &base);
    if (buffer == nullptr) {
      continue;
    }
    if (const cudaError_t error = MirrorHostBuffer(state, base, *buffer); error != cudaSuccess) {
      return error;
    }
    word = buffer->device + (word - std::bit_cast<std::uint64_t>(base));
    std::memcpy(&parameters[at], &word, sizeof word);
  }
  return cudaSuccess;
}

cudaError_t CopyMirrorsToDevice(State& state) {
  for (const auto& [address, mirror] : state.mirrors.by_device()) {
    const auto copied = ForEachCopied(mirror, [&](std::uint64_t device, std::span<std::byte> host) {
      return state.device->CopyToDevice(device, host);
    });
    if (!copied) {
      return Fail(state, "managed memory", copied.error());
    }
  }
  return cudaSuccess;
}

cudaError_t CopyMirrorsFromDevice(State& state) {
  for (const auto& [address, mirror] : state.mirrors.by_device()) {
    const auto copied = ForEachCopied(mirror, [&](std::uint64_t device, std::span<std::byte> host) {
      return state.device->CopyFromDevice(host, device);
    });
    if (!copied) {
      return Fail(state, "managed memory", copied.error());
    }
  }
  return cudaSuccess;
}

}  // namespace assay::gpu::runtime

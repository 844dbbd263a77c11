// SPDX-License-Identifier: Apache-2.0
#include "host/arenas.h"

#include <sys/mman.h>

#include "host/operations.h"
#include "host/sanitizer.h"

namespace assay::host {
namespace {

constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::byte* Reserve() {
  void* base = ::mmap(nullptr, wire::kArenaBytes, PROT_NONE, kReserve, -1, 0);
  if (base == MAP_FAILED) {
    Die("host: cannot reserve address space\n");
  }
  return static_cast<std::byte*>(base);
}

/// The bytes of a region before and after its argument.
void PoisonSlack(const std::byte* base, const wire::Region& region) {
  const std::uint64_t before = region.data_offset_bytes - region.offset_bytes;
  const std::uint64_t used = before + region.data_bytes;
  Poison(base, before);
  Poison(base + used, region.size_bytes - used);
}

}  // namespace

Arenas::Arenas() : inputs_(Reserve()), outputs_(Reserve()) {}

void Arenas::Apply(const wire::LayoutFrame& layout) {
  for (std::uint64_t i = 0; i < count_; ++i) {
    Unmap(regions_[i]);
  }
  count_ = layout.count;
  for (std::uint64_t i = 0; i < count_; ++i) {
    regions_[i] = layout.regions[i];
    Map(regions_[i]);
  }
}

void Arenas::Map(const wire::Region& region) const {
  const bool writable = region.writable != 0;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  const int flags = MAP_SHARED | MAP_FIXED | (region.populate != 0 ? MAP_POPULATE : 0);
  std::byte* base = Base(region);
  if (::mmap(base, region.size_bytes, protection, flags,
             writable ? wire::kOutputsFd : wire::kInputsFd,
             static_cast<off_t>(region.offset_bytes)) == MAP_FAILED) {
    Die("host: cannot map a buffer\n");
  }
  PoisonSlack(base, region);
}

void Arenas::Unmap(const wire::Region& region) const {
  std::byte* base = Base(region);
  Unpoison(base, region.size_bytes);
  if (::mmap(base, region.size_bytes, PROT_NONE, kReserve | MAP_FIXED, -1, 0) == MAP_FAILED) {
    Die("host: cannot unmap a buffer\n");
  }
}

}  // namespace assay::host

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

/// `mark` for the bytes of a region before and after its argument.
void ForSlack(const std::byte* base, const wire::Region& region,
              void (*mark)(const void* memory, std::size_t size_bytes)) {
  const std::uint64_t before = region.data_offset_bytes - region.offset_bytes;
  const std::uint64_t used = before + region.data_bytes;
  mark(base, before);
  mark(base + used, region.size_bytes - used);
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
  MapPart(region, 0, region.populate_bytes, MAP_POPULATE);
  MapPart(region, region.populate_bytes, region.size_bytes, 0);
  ForSlack(Base(region), region, Poison);
}

void Arenas::MapPart(const wire::Region& region, std::uint64_t from_bytes, std::uint64_t to_bytes,
                     int flags) const {
  if (from_bytes == to_bytes) {
    return;
  }
  const bool writable = region.writable != 0;
  if (::mmap(Base(region) + from_bytes, to_bytes - from_bytes,
             writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_FIXED | flags,
             writable ? wire::kOutputsFd : wire::kInputsFd,
             static_cast<off_t>(region.offset_bytes + from_bytes)) == MAP_FAILED) {
    Die("host: cannot map a buffer\n");
  }
}

void Arenas::Unmap(const wire::Region& region) const {
  std::byte* base = Base(region);
  ForSlack(base, region, Unpoison);
  if (::mmap(base, region.size_bytes, PROT_NONE, kReserve | MAP_FIXED, -1, 0) == MAP_FAILED) {
    Die("host: cannot unmap a buffer\n");
  }
}

}  // namespace assay::host

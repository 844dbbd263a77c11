// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_ARENAS_H_
#define ASSAY_HOST_ARENAS_H_

#include <cstddef>
#include <cstdint>

#include "wire/protocol.h"

namespace assay::host {

/// The address space of both arenas in this process. Everything is inaccessible but the regions of
/// the present layout, so that each buffer lies between inaccessible pages.
class Arenas {
 public:
  /// Reserves the address space. Ends the process when it cannot.
  Arenas();

  /// Makes the regions accessible, and nothing else. Ends the process when memory cannot be mapped.
  void Apply(const wire::LayoutFrame& layout);

  [[nodiscard]] std::byte* Input(std::uint64_t offset_bytes) const {
    return inputs_ + offset_bytes;
  }
  [[nodiscard]] std::byte* Output(std::uint64_t offset_bytes) const {
    return outputs_ + offset_bytes;
  }

 private:
  [[nodiscard]] std::byte* Base(const wire::Region& region) const {
    return (region.writable != 0 ? outputs_ : inputs_) + region.offset_bytes;
  }
  void Map(const wire::Region& region) const;
  void MapPart(const wire::Region& region, std::uint64_t from_bytes, std::uint64_t to_bytes,
               int flags) const;
  void Unmap(const wire::Region& region) const;

  std::byte* inputs_;
  std::byte* outputs_;
  std::uint64_t count_ = 0;
  wire::Region regions_[wire::kMaxRegions];
};

}  // namespace assay::host

#endif  // ASSAY_HOST_ARENAS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_LAYOUT_H_
#define ASSAY_CLIENT_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "client/invocation.h"
#include "wire/protocol.h"

namespace assay {

enum class Arena { kInputs, kOutputs };

/// Where one buffer lies. Its region is whole pages between inaccessible ones; the bytes of the
/// region that are not the buffer's are slack.
struct Slot {
  std::uint64_t offset_bytes = 0;  ///< Of the buffer, within its arena.
  std::uint64_t size_bytes = 0;
  std::uint64_t region_offset_bytes = 0;
  std::uint64_t region_bytes = 0;  ///< 0 for an empty buffer: it points at an inaccessible page.
};

/// Puts buffers into the two arenas, one after the other, with an inaccessible page before and
/// after each. Pure arithmetic: touches no memory.
class Layout {
 public:
  /// kBeforehand: the host faults all pages in when it applies the layout.
  enum class Faults { kWhenTouched, kBeforehand };
  explicit Layout(Faults faults) : faults_(faults) {}

  /// kAgainstGuard: the buffer ends at the end of a page, as far as `alignment_bytes` (a power of
  /// two) allows. kAligned: it starts at the start of one.
  Slot Add(Arena arena, std::uint64_t size_bytes, Placement placement,
           std::uint64_t alignment_bytes);

  /// A buffer of which only the first `expected_bytes` (whole pages) are likely to be used: no more
  /// than that is faulted in.
  Slot AddLimit(Arena arena, std::uint64_t limit_bytes, std::uint64_t expected_bytes);

  [[nodiscard]] std::span<const wire::Region> regions() const { return regions_; }
  /// Bytes of all regions in the arena.
  [[nodiscard]] std::uint64_t RegionBytes(Arena arena) const;
  /// Whether arenas and the layout message have room for it.
  [[nodiscard]] bool Fits() const;

 private:
  Faults faults_;
  std::uint64_t ends_bytes_[2] = {wire::kPageBytes, wire::kPageBytes};
  std::vector<wire::Region> regions_;
};

/// Where everything that one call needs lies.
struct CallPlan {
  std::vector<Slot> arguments;  ///< As in the invocation; scalars and callbacks have empty slots.
  std::vector<Slot> loads;
  Slot save_area;
  Slot upcall_area;
  /// Bytes at the start of the save area that are poisoned, so that writing between tensors shows.
  /// Poisoning all of a large limit would take longer than the call.
  std::uint64_t save_poison_bytes = 0;
};

/// Adds what `invocation` needs to `layout`.
[[nodiscard]] CallPlan PlanCall(const Invocation& invocation, Layout* layout);

/// Writes the message that starts the planned call of operation number `operation`. At most 64
/// loads with names shorter than wire::kNameBytes: HostImpl::Resolve says so beforehand.
void FillCallFrame(const Invocation& invocation, const CallPlan& plan, std::uint32_t operation,
                   wire::CallFrame* frame);

}  // namespace assay

#endif  // ASSAY_CLIENT_LAYOUT_H_

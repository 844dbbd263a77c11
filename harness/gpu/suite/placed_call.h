// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_PLACED_CALL_H_
#define ASSAY_GPU_SUITE_PLACED_CALL_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/host.h"
#include "client/invocation.h"
#include "gpu/suite/device_invocation.h"
#include "gpu/suite/device_memory.h"

namespace assay::gpu {

/// The arguments of one call, in device memory. Every byte that belongs to no buffer (between rows,
/// before one's offset, in guards) holds a pattern, uninitialised, and must hold it afterwards.
/// An allocation ends where its buffer does, so that what reads or writes past it is found.
class PlacedCall {
 public:
  /// Gaps between rows of more bytes in all hold no pattern: rows may lie gigabytes apart.
  static constexpr std::uint64_t kMostGap_bytes = std::uint64_t{16} << 20;

  /// Where buffers were, by argument and size of the allocation: of one device.
  using Places = std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t>;

  /// What inputs hold when the operation begins.
  enum class Inputs : std::uint8_t {
    kInPlace,       ///< What they should.
    kComeOnStream,  ///< Nothing yet: copies that bring them are still on the operation's stream.
  };

  /// All must outlive it; without `places` every buffer has a place of its own.
  PlacedCall(DeviceMemory* memory, const DeviceInvocation* call, Places* places = nullptr,
             Inputs inputs = Inputs::kInPlace)
      : memory_(memory), call_(call), places_(places), inputs_(inputs) {}

  /// Allocates and fills; `poison` fills an output before it is copied there. Verdict kMemoryLimit:
  /// the device has not enough memory left. `seed` should be new for each call: of the pattern, and
  /// of whether buffers lie where those of their size lay last, which is so three times in four. So
  /// what is kept by address is wrong, and so is what relies on addresses to come again.
  [[nodiscard]] std::expected<void, HostFailure> Place(
      const std::function<void(std::span<std::byte>)>& poison, std::uint64_t seed);
  /// The call as the host gets it, with addresses.
  [[nodiscard]] Invocation ToInvocation() const;
  /// What the host must be asked for before: copies of inputs that come on its stream.
  [[nodiscard]] std::vector<Invocation> ToLateCopies() const;
  /// The bytes that these copy.
  [[nodiscard]] std::uint64_t LateBytes() const;
  /// Reads outputs and in-outs back into the caller's memory. Then, in text, the first input that
  /// was written or byte beside a buffer that was; nothing: none was.
  [[nodiscard]] std::expected<std::optional<std::string>, HostFailure> Collect();
  /// Frees all, the first failure is returned. Not in the destructor: the host may be gone.
  [[nodiscard]] std::expected<void, HostFailure> Release();

 private:
  /// Rows of `row_bytes`, `stride_bytes` apart, in an allocation of `total_bytes`.
  struct Buffer {
    std::size_t argument = 0;
    std::uint64_t allocation = 0;
    std::uint64_t start_bytes = 0;  ///< Of the first row, in the allocation.
    std::uint64_t row_bytes = 0;
    std::uint64_t stride_bytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t total_bytes = 0;
    std::span<const std::byte> before;  ///< What the rows held.
    bool is_input = false;
    std::uint64_t staging = 0;  ///< Where an input that comes on the stream is until then; 0: none.
    [[nodiscard]] bool HasPatternInGaps() const {
      return rows == 0 || (rows - 1) * (stride_bytes - row_bytes) <= kMostGap_bytes;
    }
  };
  using Piece = std::function<std::expected<void, HostFailure>(std::uint64_t, std::uint64_t)>;

  std::expected<void, HostFailure> PlaceBuffer(std::size_t argument,
                                               std::span<const std::byte> data,
                                               std::uint64_t row_bytes, std::uint64_t stride_bytes,
                                               std::uint64_t offset_bytes);
  std::expected<void, HostFailure> Allocate(Buffer& buffer);
  [[nodiscard]] HostFailure RoomLacks(const Buffer& buffer, std::uint64_t size_bytes) const;
  void Keep(Buffer& buffer, std::uint64_t allocation);
  /// What of an allocation holds the pattern: its stretches at [offset, offset + size).
  std::expected<void, HostFailure> WritePattern(const Buffer& buffer, std::uint64_t offset,
                                                std::uint64_t size_bytes);
  std::expected<void, HostFailure> FillGaps(const Buffer& buffer);
  std::expected<void, HostFailure> FillRows(const Buffer& buffer);
  /// Leaves the rows uninitialised, and what they will hold in memory of its own.
  std::expected<void, HostFailure> Stage(Buffer& buffer);
  /// Calls with offset and size of each stretch of an allocation that belongs to no row.
  static std::expected<void, HostFailure> ForEachGap(const Buffer& buffer, const Piece& piece);
  std::expected<std::optional<std::string>, HostFailure> FindChange(const Buffer& buffer);
  /// The first byte in [offset, offset + wanted.size()) that is not the wanted one.
  std::expected<std::optional<std::uint64_t>, HostFailure> FindDifference(
      const Buffer& buffer, std::uint64_t offset, std::span<const std::byte> wanted);
  [[nodiscard]] std::span<const std::byte> PatternAt(std::uint64_t offset,
                                                     std::uint64_t most_bytes) const;

  DeviceMemory* memory_;
  const DeviceInvocation* call_;
  Places* places_;
  Inputs inputs_;
  bool at_last_places_ = false;
  std::vector<Buffer> buffers_;           ///< In the order of their arguments.
  std::vector<std::uint64_t> addresses_;  ///< By argument; 0 for scalars and null pointers.
  std::vector<std::byte> pattern_;
  std::vector<std::byte> scratch_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_PLACED_CALL_H_

// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin/unpack.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace assay::gpu {
namespace {

struct FreeStream {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::optional<std::vector<std::byte>> UnpackZstd(std::span<const std::byte> packed,
                                                 std::uint64_t unpacked_bytes) {
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 20U;
  const std::unique_ptr<ZSTD_DCtx, FreeStream> context(ZSTD_createDCtx());
  if (context == nullptr) {
    return std::nullopt;
  }
  std::vector<std::byte> unpacked;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    // One byte more than promised, so that a frame that holds more is seen to.
    const std::size_t filled = unpacked.size();
    if (filled > unpacked_bytes) {
      return std::nullopt;
    }
    unpacked.resize(filled + std::min(unpacked_bytes + 1 - filled, std::max(kStep, filled)));
    ZSTD_outBuffer out{unpacked.data(), unpacked.size(), filled};
    const std::size_t consumed = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    unpacked.resize(out.pos);
    const bool stuck = in.pos == consumed && out.pos == filled;
    if (ZSTD_isError(left) != 0 || (left != 0 && stuck)) {
      return std::nullopt;
    }
  }
  if (unpacked.size() != unpacked_bytes) {
    return std::nullopt;
  }
  return unpacked;
}

std::optional<std::vector<std::byte>> UnpackLz4(std::span<const std::byte> packed,
                                                std::uint64_t unpacked_bytes) {
  // A byte of LZ4 stands for 255 bytes at the most: what promises more is damaged, and is not
  // worth the memory.
  static constexpr std::uint64_t kMostRatio = 255;
  static constexpr std::uint64_t kMostBytes = LZ4_MAX_INPUT_SIZE;
  if (packed.size() > kMostBytes || unpacked_bytes > kMostBytes ||
      unpacked_bytes > packed.size() * kMostRatio) {
    return std::nullopt;
  }
  std::vector<std::byte> unpacked(unpacked_bytes);
  const int written = LZ4_decompress_safe(
      reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(unpacked.data()),
      static_cast<int>(packed.size()), static_cast<int>(unpacked_bytes));
  if (written < 0 || static_cast<std::uint64_t>(written) != unpacked_bytes) {
    return std::nullopt;
  }
  return unpacked;
}

}  // namespace assay::gpu

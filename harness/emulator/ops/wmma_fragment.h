// SPDX-License-Identifier: Apache-2.0
// The fragments of wmma: how the elements of a tile in memory and the registers of a warp belong
// together. Included only by the sources of ops/ (see lanes.h).
//
// Theory. "PTX ISA" leaves open which lane holds which element of a wmma fragment; all that it asks
// is that load, mma and store agree. So the fragments here are those of mma.sync (mma_core.h),
// whose products then multiply them: the blocks of 8 rows (of A and C) or of 8 columns (of B) one
// after the other. A fragment is the same whether the matrix is stored by rows or by columns: what
// lies the other way in memory is transposed on the way. The numbers of registers are the ISA's.
// Those of f16 are more than the elements need, and the rest repeats the first; mma reads only
// these.
#ifndef ASSAY_EMULATOR_OPS_WMMA_FRAGMENT_H_
#define ASSAY_EMULATOR_OPS_WMMA_FRAGMENT_H_

#include <cstdint>
#include <cstring>

#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

enum class Direction : std::uint8_t { kLoad, kStore };

/// A tile as a matrix of kOuter lines of kInner elements: rows of A and C, columns of B. Its
/// registers hold blocks of 8 lines; elements that follow each other along a line share a lane.
template <ptx::MatrixPart kPart, std::uint32_t kElementBytes, std::uint32_t kOuter,
          std::uint32_t kInner, std::uint32_t kCopies>
struct Fragment {
  static constexpr bool kIsAccumulator = kPart == ptx::MatrixPart::kC;
  static constexpr std::uint32_t kBytes = kElementBytes;
  static constexpr std::uint32_t kLines = kOuter;
  static constexpr std::uint32_t kLength = kInner;
  static constexpr std::uint32_t kBlocks = kOuter / 8;
  static constexpr std::uint32_t kLineBytes = kInner * kElementBytes;
  /// Results of 32 and 64 bits: even and odd columns are in two registers.
  static constexpr bool kSplit = kIsAccumulator && kElementBytes >= 4;
  static constexpr std::uint32_t kLaneBytes = kElementBytes == 8 ? 8 : 4;
  static constexpr std::uint32_t kChunkBytes = kLaneBytes * 4 * (kSplit ? 2 : 1);
  static constexpr std::uint32_t kChunks = kLineBytes / kChunkBytes;
  static constexpr std::uint32_t kDistinct = kBlocks * kChunks * (kSplit ? 2 : 1);
  static constexpr std::uint32_t kRegisters = kDistinct * kCopies;
  /// Of the first register of a chunk of a block.
  static constexpr std::uint32_t RegisterOf(std::uint32_t block, std::uint32_t chunk) {
    if (kPart == ptx::MatrixPart::kB) {
      return block * kChunks + chunk;
    }
    return (chunk * kBlocks + block) * (kSplit ? 2 : 1);
  }
};

/// to[j][i] = from[i][j], of `rows` by `columns`.
template <std::uint32_t kBytes>
void TransposeTile(const std::byte* from, std::uint32_t rows, std::uint32_t columns,
                   std::byte* to) {
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      std::memcpy(to + (j * rows + i) * kBytes, from + (i * columns + j) * kBytes, kBytes);
    }
  }
}

/// Registers (the bytes of 32 lanes each) from the lines of a tile, or the lines from registers.
template <class F, Direction kDirection>
void MoveRegisters(std::byte* lines, std::byte (*registers)[kWarpSize * 8]) {
  for (std::uint32_t block = 0; block < F::kBlocks; ++block) {
    for (std::uint32_t chunk = 0; chunk < F::kChunks; ++chunk) {
      std::byte(*reg)[kWarpSize * 8] = registers + F::RegisterOf(block, chunk);
      for (std::uint32_t row = 0; row < 8; ++row) {
        std::byte* line = lines + (block * 8 + row) * F::kLineBytes + chunk * F::kChunkBytes;
        for (std::uint32_t i = 0; i < F::kChunkBytes / F::kLaneBytes; ++i) {
          const std::uint32_t which = F::kSplit ? i % 2 : 0;
          const std::uint32_t lane = row * 4 + (F::kSplit ? i / 2 : i);
          std::byte* in_register = reg[which] + lane * F::kLaneBytes;
          std::byte* in_line = line + i * F::kLaneBytes;
          if constexpr (kDirection == Direction::kLoad) {
            std::memcpy(in_register, in_line, F::kLaneBytes);
          } else {
            std::memcpy(in_line, in_register, F::kLaneBytes);
          }
        }
      }
    }
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_WMMA_FRAGMENT_H_

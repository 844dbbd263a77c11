// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix of 8x8 matrices of 16-bit elements. A register that holds such a
// matrix is its 128 bytes in row-major order: lane l has columns 2*(l%4) and 2*(l%4)+1 of row l/4
// ("PTX ISA", fragments of ldmatrix).
#include <cstdint>
#include <cstring>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/collective.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

constexpr std::uint32_t kRowBytes = 16;
constexpr std::uint32_t kMatrixBytes = 8 * kRowBytes;

enum class Layout : std::uint8_t { kRows, kTransposed };
enum class Direction : std::uint8_t { kLoad, kStore };

ASSAY_GPU_INLINE void Transpose(const std::byte* from, std::byte* to) {
#if defined(__AVX512F__)
  alignas(64) static constexpr std::uint16_t kOrder[64] = {
      0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
      50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
      37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};
  const __m512i low = _mm512_loadu_si512(from);
  const __m512i high = _mm512_loadu_si512(from + 64);
  for (int half = 0; half < 2; ++half) {
    const __m512i order = _mm512_load_si512(kOrder + 32 * half);
    _mm512_storeu_si512(to + 64 * half, _mm512_permutex2var_epi16(low, order, high));
  }
#else
  std::uint16_t elements[64];
  std::uint16_t transposed[64];
  std::memcpy(elements, from, sizeof elements);
  for (unsigned i = 0; i < 64; ++i) {
    transposed[i] = elements[(i % 8) * 8 + i / 8];
  }
  std::memcpy(to, transposed, sizeof transposed);
#endif
}

template <Layout kLayout>
ASSAY_GPU_INLINE void CopyMatrix(const std::byte* from, std::byte* to) {
  if constexpr (kLayout == Layout::kTransposed) {
    Transpose(from, to);
  } else {
    std::memcpy(to, from, kMatrixBytes);
  }
}

/// The lanes of `executed` that name the rows of kCount matrices.
template <unsigned kCount>
constexpr LaneMask kRowLanes = kCount == 4 ? kAllLanes : (LaneMask{1} << (8 * (kCount % 4))) - 1;

/// Flat operands of a load: kCount registers, the address; of a store: the address, kCount
/// registers. Base: of the address. Matrices lie in shared memory, whether the instruction says so
/// or not; it counts as such an access, so that a generic address that leads elsewhere is out of
/// bounds.
template <Direction kDirection, unsigned kCount, Layout kLayout, class Base, Form kForm>
const Step* MatrixAccess(Warp& warp, const Step* step) {
  constexpr bool kLoads = kDirection == Direction::kLoad;
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<kForm>(warp, step, executed, next)) {
    return next;
  }
  const Base* bases = Lanes<Base>(warp, OperandAt<kCount + 1>(step, kLoads ? kCount : 0));
  alignas(64) std::uint64_t addresses[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    addresses[lane] = static_cast<Base>(bases[lane] + static_cast<Base>(step->immediate));
  }
  alignas(64) std::byte rows[kWarpSize * kRowBytes];
  const LaneMask lanes = executed & kRowLanes<kCount>;
  if constexpr (kLoads) {
    if (kForm == Form::kMasked && lanes != kRowLanes<kCount>) {
      std::memset(rows, 0, sizeof rows);
    }
    if (!ReadLanes(warp, step, ptx::Space::kShared, lanes, addresses, kRowBytes, rows)) {
      return nullptr;
    }
    for (unsigned i = 0; i < kCount; ++i) {
      auto* to = Lanes<std::uint32_t>(warp, OperandAt<kCount + 1>(step, i));
      if constexpr (kForm == Form::kFull) {
        CopyMatrix<kLayout>(rows + i * kMatrixBytes, reinterpret_cast<std::byte*>(to));
      } else {
        alignas(64) std::uint32_t values[kWarpSize];
        CopyMatrix<kLayout>(rows + i * kMatrixBytes, reinterpret_cast<std::byte*>(values));
        StoreLanes(to, values, executed);
      }
    }
    return step + 1;
  } else {
    for (unsigned i = 0; i < kCount; ++i) {
      const auto* from = Lanes<std::uint32_t>(warp, OperandAt<kCount + 1>(step, i + 1));
      CopyMatrix<kLayout>(reinterpret_cast<const std::byte*>(from), rows + i * kMatrixBytes);
    }
    return WriteLanes(warp, step, ptx::Space::kShared, lanes, addresses, kRowBytes, rows) ? step + 1
                                                                                          : nullptr;
  }
}

template <Form kForm>
const Step* Movmatrix(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<kForm>(warp, step, executed, next)) {
    return next;
  }
  alignas(64) std::uint32_t values[kWarpSize];
  Transpose(reinterpret_cast<const std::byte*>(Lanes<std::uint32_t>(warp, step->operand[1])),
            reinterpret_cast<std::byte*>(values));
  StoreLanes(Lanes<std::uint32_t>(warp, step->operand[0]), values, executed);
  return step + 1;
}

template <Direction kDirection, unsigned kCount, Layout kLayout, class Base>
constexpr Handlers kAccess{MatrixAccess<kDirection, kCount, kLayout, Base, Form::kFull>,
                           MatrixAccess<kDirection, kCount, kLayout, Base, Form::kMasked>};

template <Direction kDirection, unsigned kCount, Layout kLayout>
Handlers OfAddress(bool narrow) {
  return narrow ? kAccess<kDirection, kCount, kLayout, std::uint32_t>
                : kAccess<kDirection, kCount, kLayout, std::uint64_t>;
}

template <Direction kDirection, unsigned kCount>
Handlers OfLayout(const ptx::Instruction& instruction, const ptx::Operand& address) {
  if (ElementCount(instruction, kDirection == Direction::kLoad ? 0 : 1) != kCount) {
    return {};
  }
  const bool narrow = address.index >= 0 && ptx::SizeOf(address.type) == 4;
  return instruction.transposed ? OfAddress<kDirection, kCount, Layout::kTransposed>(narrow)
                                : OfAddress<kDirection, kCount, Layout::kRows>(narrow);
}

template <Direction kDirection>
Handlers SelectAccess(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) {
    return {};
  }
  const ptx::Operand& address = instruction.operands.data()[kDirection == Direction::kLoad ? 1 : 0];
  switch (instruction.count) {
    case 1:
      return OfLayout<kDirection, 1>(instruction, address);
    case 2:
      return OfLayout<kDirection, 2>(instruction, address);
    case 4:
      return OfLayout<kDirection, 4>(instruction, address);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectLdmatrix(const ptx::Instruction& instruction) {
  if (ptx::SizeOf(instruction.type) != 2) {
    return {};
  }
  if (instruction.opcode == ptx::Opcode::kMovmatrix) {
    return {Movmatrix<Form::kFull>, Movmatrix<Form::kMasked>};
  }
  if (instruction.m != 8 || instruction.n != 8) {
    return {};
  }
  return instruction.opcode == ptx::Opcode::kLdmatrix
             ? SelectAccess<Direction::kLoad>(instruction)
             : SelectAccess<Direction::kStore>(instruction);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

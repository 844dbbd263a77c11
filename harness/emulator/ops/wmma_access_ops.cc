// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store: tiles between memory and fragments (wmma_fragment.h).
//
// Memory is accessed in pieces of up to 16 bytes along the rows (or columns) that are contiguous
// there, one piece a lane; the address and stride are those of the lowest lane. Full warps run the
// masked form too: a look at the mask costs little beside the rest.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/collective.h"
#include "emulator/ops/wmma_fragment.h"
#include "emulator/ops/wmma_select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::MatrixPart;
using ptx::Type;

constexpr std::uint32_t kMostTileBytes = 1024;
constexpr std::uint32_t kPieceBytes = 16;

/// Of the elements of a tile that are neighbours in memory: whether they differ in the inner index
/// of its fragment or in the outer one.
enum class Contiguous : std::uint8_t { kInner, kOuter };
/// The space of an address and, in shared memory, its bits.
enum class AddressKind : std::uint8_t { kShared32, kShared64, kGlobal, kGeneric };
enum class Stride : std::uint8_t { kDense, kOperand };

/// Where the pieces of a tile are: those of one line lie together.
struct Pieces {
  std::uint64_t base = 0;
  std::uint64_t stride_bytes = 0;
  std::uint32_t line_bytes = 0;
  std::uint32_t tile_bytes = 0;
  ptx::Space space = ptx::Space::kGeneric;
};

bool AccessPieces(Warp& warp, const Step* step, const Pieces& pieces, LaneMask executed,
                  Direction direction, std::byte* tile) {
  const std::uint32_t size = std::min(kPieceBytes, pieces.line_bytes);
  const std::uint32_t per_line = pieces.line_bytes / size;
  const std::uint32_t count = pieces.tile_bytes / size;
  for (std::uint32_t first = 0; first < count; first += kWarpSize) {
    alignas(64) std::uint64_t addresses[kWarpSize] = {};
    const std::uint32_t here = std::min(count - first, kWarpSize);
    for (std::uint32_t i = 0; i < here; ++i) {
      const std::uint32_t piece = first + i;
      addresses[i] = pieces.base + (piece / per_line) * pieces.stride_bytes +
                     std::uint64_t{piece % per_line} * size;
    }
    const LaneMask lanes = executed & (here == kWarpSize ? kAllLanes : (LaneMask{1} << here) - 1);
    std::byte* values = tile + std::size_t{first} * size;
    const bool alive = direction == Direction::kLoad
                           ? ReadLanes(warp, step, pieces.space, lanes, addresses, size, values)
                           : WriteLanes(warp, step, pieces.space, lanes, addresses, size, values);
    if (!alive) {
      return false;
    }
  }
  return true;
}

template <class F>
using Lane = std::conditional_t<F::kLaneBytes == 8, std::uint64_t, std::uint32_t>;

template <class F, Contiguous kContiguous>
const Step* LoadTile(Warp& warp, const Step* step, const Pieces& pieces, LaneMask executed,
                     const std::uint32_t* registers) {
  alignas(64) std::byte read[kMostTileBytes] = {};
  alignas(64) std::byte lines[kMostTileBytes];
  alignas(64) std::byte held[F::kDistinct][kWarpSize * 8];
  if (!AccessPieces(warp, step, pieces, executed, Direction::kLoad, read)) {
    return nullptr;
  }
  std::byte* tile = read;
  if constexpr (kContiguous == Contiguous::kOuter) {
    TransposeTile<F::kBytes>(read, F::kLength, F::kLines, lines);
    tile = lines;
  }
  MoveRegisters<F, Direction::kLoad>(tile, held);
  for (std::uint32_t i = 0; i < F::kRegisters; ++i) {
    StoreLanes(Lanes<Lane<F>>(warp, registers[i]),
               reinterpret_cast<const Lane<F>*>(held[i % F::kDistinct]), executed);
  }
  return step + 1;
}

template <class F, Contiguous kContiguous>
const Step* StoreTile(Warp& warp, const Step* step, const Pieces& pieces, LaneMask executed,
                      const std::uint32_t* registers) {
  alignas(64) std::byte lines[kMostTileBytes];
  alignas(64) std::byte written[kMostTileBytes];
  alignas(64) std::byte held[F::kDistinct][kWarpSize * 8];
  for (std::uint32_t i = 0; i < F::kDistinct; ++i) {
    std::memcpy(held[i], Lanes<Lane<F>>(warp, registers[i]), kWarpSize * F::kLaneBytes);
  }
  MoveRegisters<F, Direction::kStore>(lines, held);
  std::byte* tile = lines;
  if constexpr (kContiguous == Contiguous::kOuter) {
    TransposeTile<F::kBytes>(lines, F::kLines, F::kLength, written);
    tile = written;
  }
  return AccessPieces(warp, step, pieces, executed, Direction::kStore, tile) ? step + 1 : nullptr;
}

/// Flat operands of a load: registers, address, stride; of a store: address, registers, stride.
template <class F, Direction kDirection, Contiguous kContiguous, AddressKind kAddress,
          Stride kStride>
const Step* WmmaAccess(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<Form::kMasked>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<Form::kMasked>(warp, step, executed, next)) {
    return next;
  }
  constexpr bool kLoads = kDirection == Direction::kLoad;
  const std::uint32_t* at = OperandTable(step);
  const std::uint32_t address = at[kLoads ? F::kRegisters : 0];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(executed));
  Pieces pieces;
  pieces.space = kAddress == AddressKind::kGlobal    ? ptx::Space::kGlobal
                 : kAddress == AddressKind::kGeneric ? ptx::Space::kGeneric
                                                     : ptx::Space::kShared;
  if constexpr (kAddress == AddressKind::kShared32) {
    pieces.base =
        Lanes<std::uint32_t>(warp, address)[lane] + static_cast<std::uint32_t>(step->immediate);
  } else {
    pieces.base = Lanes<std::uint64_t>(warp, address)[lane] + step->immediate;
  }
  constexpr std::uint32_t kAlong = kContiguous == Contiguous::kInner ? F::kLength : F::kLines;
  std::uint64_t stride = kAlong;
  if constexpr (kStride == Stride::kOperand) {
    stride = Lanes<std::uint32_t>(warp, at[F::kRegisters + 1])[lane];
  }
  pieces.stride_bytes = stride * F::kBytes;
  pieces.line_bytes = kAlong * F::kBytes;
  pieces.tile_bytes = F::kLines * F::kLineBytes;
  return kLoads ? LoadTile<F, kContiguous>(warp, step, pieces, executed, at)
                : StoreTile<F, kContiguous>(warp, step, pieces, executed, at + 1);
}

// ------------------------------------------------------------------ selection

template <class F, Direction kDirection, Contiguous kContiguous, AddressKind kAddress>
Handlers ByStride(Stride stride) {
  const Handler both = stride == Stride::kOperand
                           ? WmmaAccess<F, kDirection, kContiguous, kAddress, Stride::kOperand>
                           : WmmaAccess<F, kDirection, kContiguous, kAddress, Stride::kDense>;
  return {.full = both, .masked = both};
}

template <class F, Direction kDirection, Contiguous kContiguous>
Handlers ByAddress(AddressKind address, Stride stride) {
  switch (address) {
    case AddressKind::kShared32:
      return ByStride<F, kDirection, kContiguous, AddressKind::kShared32>(stride);
    case AddressKind::kShared64:
      return ByStride<F, kDirection, kContiguous, AddressKind::kShared64>(stride);
    case AddressKind::kGlobal:
      return ByStride<F, kDirection, kContiguous, AddressKind::kGlobal>(stride);
    case AddressKind::kGeneric:
      return ByStride<F, kDirection, kContiguous, AddressKind::kGeneric>(stride);
  }
  return {};
}

/// What is left to know of an access when its fragment is known.
struct Access {
  Contiguous contiguous = Contiguous::kInner;
  AddressKind address = AddressKind::kGeneric;
  Stride stride = Stride::kDense;
  std::uint32_t registers = 0;
};

template <class F, Direction kDirection>
Handlers ByContiguous(const Access& access) {
  if (access.registers != F::kRegisters) {
    return {};
  }
  return access.contiguous == Contiguous::kInner
             ? ByAddress<F, kDirection, Contiguous::kInner>(access.address, access.stride)
             : ByAddress<F, kDirection, Contiguous::kOuter>(access.address, access.stride);
}

/// `outer`: the rows of A, or the columns of B.
template <MatrixPart kPart>
Handlers LoadOfFactor(Type type, std::uint32_t outer, std::uint32_t inner, const Access& access) {
  constexpr Direction kLoad = Direction::kLoad;
  if (type == Type::kTf32 && outer == 16 && inner == 8) {
    return ByContiguous<Fragment<kPart, 4, 16, 8, 1>, kLoad>(access);
  }
  if (type == Type::kF64 && outer == 8 && inner == 4) {
    return ByContiguous<Fragment<kPart, 8, 8, 4, 1>, kLoad>(access);
  }
  if (inner != 16) {
    return {};
  }
  const bool is_f16 = type == Type::kF16;
  if (is_f16 || type == Type::kBf16) {
    if (outer == 32) {
      return ByContiguous<Fragment<kPart, 2, 32, 16, 1>, kLoad>(access);
    }
    if (outer == 16) {
      return is_f16 ? ByContiguous<Fragment<kPart, 2, 16, 16, 2>, kLoad>(access)
                    : ByContiguous<Fragment<kPart, 2, 16, 16, 1>, kLoad>(access);
    }
    return is_f16 ? ByContiguous<Fragment<kPart, 2, 8, 16, 4>, kLoad>(access)
                  : ByContiguous<Fragment<kPart, 2, 8, 16, 1>, kLoad>(access);
  }
  if (type != Type::kS8 && type != Type::kU8) {
    return {};
  }
  if (outer == 32) {
    return ByContiguous<Fragment<kPart, 1, 32, 16, 1>, kLoad>(access);
  }
  if (outer == 16) {
    return ByContiguous<Fragment<kPart, 1, 16, 16, 1>, kLoad>(access);
  }
  return ByContiguous<Fragment<kPart, 1, 8, 16, 1>, kLoad>(access);
}

template <Direction kDirection, std::uint32_t kBytes>
Handlers AccessOfResultShape(std::uint32_t m, std::uint32_t n, const Access& access) {
  constexpr MatrixPart kC = MatrixPart::kC;
  if (m == 16 && n == 16) {
    return ByContiguous<Fragment<kC, kBytes, 16, 16, 1>, kDirection>(access);
  }
  if (m == 32 && n == 8) {
    return ByContiguous<Fragment<kC, kBytes, 32, 8, 1>, kDirection>(access);
  }
  if (m == 8 && n == 32) {
    return ByContiguous<Fragment<kC, kBytes, 8, 32, 1>, kDirection>(access);
  }
  return {};
}

template <Direction kDirection>
Handlers AccessOfResult(Type type, std::uint32_t m, std::uint32_t n, const Access& access) {
  switch (type) {
    case Type::kF16:
      return AccessOfResultShape<kDirection, 2>(m, n, access);
    case Type::kF32:
    case Type::kS32:
      return AccessOfResultShape<kDirection, 4>(m, n, access);
    case Type::kF64:
      return m == 8 && n == 8
                 ? ByContiguous<Fragment<MatrixPart::kC, 8, 8, 8, 1>, kDirection>(access)
                 : Handlers{};
    default:
      return {};
  }
}

/// False: wmma cannot access that space.
bool FindAddressKind(ptx::Space space, const ptx::Operand& address, AddressKind& kind) {
  switch (space) {
    case ptx::Space::kShared:
      kind = address.index >= 0 && ptx::SizeOf(address.type) == 4 ? AddressKind::kShared32
                                                                  : AddressKind::kShared64;
      return true;
    case ptx::Space::kGlobal:
      kind = AddressKind::kGlobal;
      return true;
    case ptx::Space::kGeneric:
      kind = AddressKind::kGeneric;
      return true;
    default:
      return false;
  }
}

Contiguous ContiguousIn(const ptx::Instruction& instruction) {
  const MatrixPart part = instruction.matrix_part;
  const bool inner = part == MatrixPart::kA   ? instruction.row_a
                     : part == MatrixPart::kB ? !instruction.row_b
                                              : instruction.row_c;
  return inner ? Contiguous::kInner : Contiguous::kOuter;
}

/// False: the instruction has operands or a space that wmma does not have.
bool DescribeAccess(const ptx::Instruction& instruction, Direction direction, Access& access) {
  const std::size_t count = instruction.operands.size();
  if (count < 2 || count > 3) {
    return false;
  }
  const bool loads = direction == Direction::kLoad;
  access.contiguous = ContiguousIn(instruction);
  access.stride = count == 3 ? Stride::kOperand : Stride::kDense;
  access.registers = ElementCount(instruction, loads ? 0 : 1);
  return FindAddressKind(instruction.space, instruction.operands.data()[loads ? 1 : 0],
                         access.address);
}

}  // namespace

Handlers SelectWmmaLoad(const ptx::Instruction& instruction) {
  Access access;
  if (!DescribeAccess(instruction, Direction::kLoad, access)) {
    return {};
  }
  switch (instruction.matrix_part) {
    case MatrixPart::kA:
      return LoadOfFactor<MatrixPart::kA>(instruction.type, instruction.m, instruction.k, access);
    case MatrixPart::kB:
      return LoadOfFactor<MatrixPart::kB>(instruction.type, instruction.n, instruction.k, access);
    case MatrixPart::kC:
    case MatrixPart::kD:
      return AccessOfResult<Direction::kLoad>(instruction.type, instruction.m, instruction.n,
                                              access);
    case MatrixPart::kNone:
      return {};
  }
  return {};
}

Handlers SelectWmmaStore(const ptx::Instruction& instruction) {
  Access access;
  const bool is_result =
      instruction.matrix_part == MatrixPart::kC || instruction.matrix_part == MatrixPart::kD;
  if (!is_result || !DescribeAccess(instruction, Direction::kStore, access)) {
    return {};
  }
  return AccessOfResult<Direction::kStore>(instruction.type, instruction.m, instruction.n, access);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

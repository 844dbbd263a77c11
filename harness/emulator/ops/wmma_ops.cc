// SPDX-License-Identifier: Apache-2.0
// wmma.load, wmma.mma, wmma.store. Which element of a matrix a lane holds is not specified; here
// fragments are those of mma.sync (mma_core.h), the blocks of 8 rows (of A and C) or columns (of
// B) one after the other. Fragments of f16 have more registers than that takes: the rest repeats
// the first. A fragment does not depend on whether the matrix was stored by rows or by columns.
//
// One form of each is for full warps and others: it is long beside the look at the mask.
//
// Memory is accessed in pieces of up to 16 bytes along the rows (or columns) that lie together,
// one piece a lane; the address and stride are those of the lowest lane.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulator/memory/lane_access.h"
#include "emulator/ops/mma_core.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::MatrixPart;
using ptx::Mode;
using ptx::Type;

constexpr std::uint32_t kMostTileBytes = 1024;
constexpr std::uint32_t kPieceBytes = 16;

enum class Direction : std::uint8_t { kLoad, kStore };
/// Which elements are neighbours in memory.
enum class Lines : std::uint8_t { kAlongInner, kAlongOuter };
enum class Where : std::uint8_t { kShared32, kShared64, kGlobal, kGeneric };

/// A tile as a matrix of kOuter lines of kInner elements: rows of A and C, columns of B. Its
/// registers hold blocks of 8 lines; elements that follow each other along a line share a lane.
template <MatrixPart kPart, std::uint32_t kElementBytes, std::uint32_t kOuter, std::uint32_t kInner,
          std::uint32_t kCopies>
struct Fragment {
  static constexpr bool kIsAccumulator = kPart == MatrixPart::kC;
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
    if (kPart == MatrixPart::kB) {
      return block * kChunks + chunk;
    }
    return (chunk * kBlocks + block) * (kSplit ? 2 : 1);
  }
};

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

/// Register images (of 32 lanes) from lines, or lines from register images.
template <class F, Direction kDirection>
void MoveRegisters(std::byte* lines, std::byte (*images)[kWarpSize * 8]) {
  for (std::uint32_t block = 0; block < F::kBlocks; ++block) {
    for (std::uint32_t chunk = 0; chunk < F::kChunks; ++chunk) {
      std::byte(*image)[kWarpSize * 8] = images + F::RegisterOf(block, chunk);
      for (std::uint32_t row = 0; row < 8; ++row) {
        std::byte* line = lines + (block * 8 + row) * F::kLineBytes + chunk * F::kChunkBytes;
        for (std::uint32_t i = 0; i < F::kChunkBytes / F::kLaneBytes; ++i) {
          const std::uint32_t which = F::kSplit ? i % 2 : 0;
          const std::uint32_t lane = row * 4 + (F::kSplit ? i / 2 : i);
          std::byte* in_register = image[which] + lane * F::kLaneBytes;
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

template <class F>
using Lane = std::conditional_t<F::kLaneBytes == 8, std::uint64_t, std::uint32_t>;

template <class F, Lines kLines>
const Step* LoadTile(Warp& warp, const Step* step, const Pieces& pieces, LaneMask executed,
                     const std::uint32_t* registers) {
  alignas(64) std::byte read[kMostTileBytes] = {};
  alignas(64) std::byte lines[kMostTileBytes];
  alignas(64) std::byte images[F::kDistinct][kWarpSize * 8];
  if (!AccessPieces(warp, step, pieces, executed, Direction::kLoad, read)) {
    return nullptr;
  }
  std::byte* tile = read;
  if constexpr (kLines == Lines::kAlongOuter) {
    TransposeTile<F::kBytes>(read, F::kLength, F::kLines, lines);
    tile = lines;
  }
  MoveRegisters<F, Direction::kLoad>(tile, images);
  for (std::uint32_t i = 0; i < F::kRegisters; ++i) {
    StoreLanes(Lanes<Lane<F>>(warp, registers[i]),
               reinterpret_cast<const Lane<F>*>(images[i % F::kDistinct]), executed);
  }
  return step + 1;
}

template <class F, Lines kLines>
const Step* StoreTile(Warp& warp, const Step* step, const Pieces& pieces, LaneMask executed,
                      const std::uint32_t* registers) {
  alignas(64) std::byte lines[kMostTileBytes];
  alignas(64) std::byte written[kMostTileBytes];
  alignas(64) std::byte images[F::kDistinct][kWarpSize * 8];
  for (std::uint32_t i = 0; i < F::kDistinct; ++i) {
    std::memcpy(images[i], Lanes<Lane<F>>(warp, registers[i]), kWarpSize * F::kLaneBytes);
  }
  MoveRegisters<F, Direction::kStore>(lines, images);
  std::byte* tile = lines;
  if constexpr (kLines == Lines::kAlongOuter) {
    TransposeTile<F::kBytes>(lines, F::kLines, F::kLength, written);
    tile = written;
  }
  return AccessPieces(warp, step, pieces, executed, Direction::kStore, tile) ? step + 1 : nullptr;
}

enum class Stride : std::uint8_t { kDense, kOperand };

/// Flat operands of a load: registers, address, stride; of a store: address, registers, stride.
template <class F, Direction kDirection, Lines kLines, Where kWhere, Stride kStride>
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
  pieces.space = kWhere == Where::kGlobal    ? ptx::Space::kGlobal
                 : kWhere == Where::kGeneric ? ptx::Space::kGeneric
                                             : ptx::Space::kShared;
  if constexpr (kWhere == Where::kShared32) {
    pieces.base =
        Lanes<std::uint32_t>(warp, address)[lane] + static_cast<std::uint32_t>(step->immediate);
  } else {
    pieces.base = Lanes<std::uint64_t>(warp, address)[lane] + step->immediate;
  }
  constexpr std::uint32_t kAlong = kLines == Lines::kAlongInner ? F::kLength : F::kLines;
  std::uint64_t stride = kAlong;
  if constexpr (kStride == Stride::kOperand) {
    stride = Lanes<std::uint32_t>(warp, at[F::kRegisters + 1])[lane];
  }
  pieces.stride_bytes = stride * F::kBytes;
  pieces.line_bytes = kAlong * F::kBytes;
  pieces.tile_bytes = F::kLines * F::kLineBytes;
  return kLoads ? LoadTile<F, kLines>(warp, step, pieces, executed, at)
                : StoreTile<F, kLines>(warp, step, pieces, executed, at + 1);
}

template <class F, Direction kDirection, Lines kLines, Where kWhere>
Handlers OfStride(Stride stride) {
  const Handler both = stride == Stride::kOperand
                           ? WmmaAccess<F, kDirection, kLines, kWhere, Stride::kOperand>
                           : WmmaAccess<F, kDirection, kLines, kWhere, Stride::kDense>;
  return {.full = both, .masked = both};
}

template <class F, Direction kDirection, Lines kLines>
Handlers OfPlace(Where where, Stride stride) {
  switch (where) {
    case Where::kShared32:
      return OfStride<F, kDirection, kLines, Where::kShared32>(stride);
    case Where::kShared64:
      return OfStride<F, kDirection, kLines, Where::kShared64>(stride);
    case Where::kGlobal:
      return OfStride<F, kDirection, kLines, Where::kGlobal>(stride);
    case Where::kGeneric:
      return OfStride<F, kDirection, kLines, Where::kGeneric>(stride);
  }
  return {};
}

/// What is left to know of an access when its fragment is known.
struct Access {
  Lines lines = Lines::kAlongInner;
  Where where = Where::kGeneric;
  Stride stride = Stride::kDense;
  std::uint32_t registers = 0;
};

template <class F, Direction kDirection>
Handlers OfFragment(const Access& access) {
  if (access.registers != F::kRegisters) {
    return {};
  }
  return access.lines == Lines::kAlongInner
             ? OfPlace<F, kDirection, Lines::kAlongInner>(access.where, access.stride)
             : OfPlace<F, kDirection, Lines::kAlongOuter>(access.where, access.stride);
}

/// `outer`: the rows of A, or the columns of B.
template <MatrixPart kPart>
Handlers OfFactor(Type type, std::uint32_t outer, std::uint32_t inner, const Access& access) {
  constexpr Direction kLoad = Direction::kLoad;
  if (type == Type::kTf32 && outer == 16 && inner == 8) {
    return OfFragment<Fragment<kPart, 4, 16, 8, 1>, kLoad>(access);
  }
  if (type == Type::kF64 && outer == 8 && inner == 4) {
    return OfFragment<Fragment<kPart, 8, 8, 4, 1>, kLoad>(access);
  }
  if (inner != 16) {
    return {};
  }
  const bool is_f16 = type == Type::kF16;
  if (is_f16 || type == Type::kBf16) {
    if (outer == 32) {
      return OfFragment<Fragment<kPart, 2, 32, 16, 1>, kLoad>(access);
    }
    if (outer == 16) {
      return is_f16 ? OfFragment<Fragment<kPart, 2, 16, 16, 2>, kLoad>(access)
                    : OfFragment<Fragment<kPart, 2, 16, 16, 1>, kLoad>(access);
    }
    return is_f16 ? OfFragment<Fragment<kPart, 2, 8, 16, 4>, kLoad>(access)
                  : OfFragment<Fragment<kPart, 2, 8, 16, 1>, kLoad>(access);
  }
  if (type != Type::kS8 && type != Type::kU8) {
    return {};
  }
  if (outer == 32) {
    return OfFragment<Fragment<kPart, 1, 32, 16, 1>, kLoad>(access);
  }
  if (outer == 16) {
    return OfFragment<Fragment<kPart, 1, 16, 16, 1>, kLoad>(access);
  }
  return OfFragment<Fragment<kPart, 1, 8, 16, 1>, kLoad>(access);
}

template <Direction kDirection, std::uint32_t kBytes>
Handlers OfResultShape(std::uint32_t m, std::uint32_t n, const Access& access) {
  constexpr MatrixPart kC = MatrixPart::kC;
  if (m == 16 && n == 16) {
    return OfFragment<Fragment<kC, kBytes, 16, 16, 1>, kDirection>(access);
  }
  if (m == 32 && n == 8) {
    return OfFragment<Fragment<kC, kBytes, 32, 8, 1>, kDirection>(access);
  }
  if (m == 8 && n == 32) {
    return OfFragment<Fragment<kC, kBytes, 8, 32, 1>, kDirection>(access);
  }
  return {};
}

template <Direction kDirection>
Handlers OfResult(Type type, std::uint32_t m, std::uint32_t n, const Access& access) {
  switch (type) {
    case Type::kF16:
      return OfResultShape<kDirection, 2>(m, n, access);
    case Type::kF32:
    case Type::kS32:
      return OfResultShape<kDirection, 4>(m, n, access);
    case Type::kF64:
      return m == 8 && n == 8 ? OfFragment<Fragment<MatrixPart::kC, 8, 8, 8, 1>, kDirection>(access)
                              : Handlers{};
    default:
      return {};
  }
}

Handlers SelectAccess(const ptx::Instruction& instruction, Direction direction) {
  const std::size_t count = instruction.operands.size();
  if (count < 2 || count > 3) {
    return {};
  }
  const bool loads = direction == Direction::kLoad;
  const ptx::Operand& address = instruction.operands.data()[loads ? 1 : 0];
  Access access;
  access.stride = count == 3 ? Stride::kOperand : Stride::kDense;
  access.registers = ElementCount(instruction, loads ? 0 : 1);
  switch (instruction.space) {
    case ptx::Space::kShared:
      access.where = address.index >= 0 && ptx::SizeOf(address.type) == 4 ? Where::kShared32
                                                                          : Where::kShared64;
      break;
    case ptx::Space::kGlobal:
      access.where = Where::kGlobal;
      break;
    case ptx::Space::kGeneric:
      break;
    default:
      return {};
  }
  const auto lines = [](bool along_inner) {
    return along_inner ? Lines::kAlongInner : Lines::kAlongOuter;
  };
  switch (instruction.matrix_part) {
    case MatrixPart::kA:
      access.lines = lines(instruction.row_a);
      return loads
                 ? OfFactor<MatrixPart::kA>(instruction.type, instruction.m, instruction.k, access)
                 : Handlers{};
    case MatrixPart::kB:
      access.lines = lines(!instruction.row_b);
      return loads
                 ? OfFactor<MatrixPart::kB>(instruction.type, instruction.n, instruction.k, access)
                 : Handlers{};
    case MatrixPart::kC:
    case MatrixPart::kD:
      access.lines = lines(instruction.row_c);
      return loads ? OfResult<Direction::kLoad>(instruction.type, instruction.m, instruction.n,
                                                access)
                   : OfResult<Direction::kStore>(instruction.type, instruction.m, instruction.n,
                                                 access);
    case MatrixPart::kNone:
      return {};
  }
  return {};
}

// ------------------------------------------------------------------------------------------ mma

/// Registers that a fragment of f16 has beyond those it needs.
template <class Elements>
constexpr std::uint32_t RegistersOfFactor(std::uint32_t distinct) {
  return std::is_same_v<Elements, HalfElements> ? 8 : distinct;
}

template <class Elements, class ResultD, class ResultC, unsigned kRows, unsigned kColumns,
          unsigned kChunks>
const Step* WmmaMultiply(Warp& warp, const Step* step) {
  const LaneMask executed = LanesToRun<Form::kMasked>(warp, step);
  const Step* next = nullptr;
  if (!WholeWarpArrived<Form::kMasked>(warp, step, executed, next)) {
    return next;
  }
  const std::uint32_t* d = OperandTable(step);
  const std::uint32_t* a = d + kRows * kColumns * ResultD::kRegisters;
  const std::uint32_t* b = a + RegistersOfFactor<Elements>(kRows * kChunks);
  const std::uint32_t* c = b + RegistersOfFactor<Elements>(kColumns * kChunks);
  RowsOfA<Elements, kChunks> left[kRows];
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned i = 0; i < kChunks; ++i) {
      Elements::Expand(Lanes<std::uint32_t>(warp, a[i * kRows + row]), left[row].part[i]);
    }
  }
  Results results[kColumns * kRows];
  for (unsigned column = 0; column < kColumns; ++column) {
    const std::uint32_t* registers[kChunks];
    for (unsigned i = 0; i < kChunks; ++i) {
      registers[i] = Lanes<std::uint32_t>(warp, b[column * kChunks + i]);
    }
    ColumnsOfB<Elements, kChunks> right;
    ExpandB<Elements, kChunks>(registers, right);
    for (unsigned row = 0; row < kRows; ++row) {
      const unsigned block = column * kRows + row;
      ResultC::Load(warp, c + block * ResultC::kRegisters, results[block]);
      Multiply(left[row], right, results[block]);
    }
  }
  for (unsigned block = 0; block < kColumns * kRows; ++block) {
    ResultD::Store(warp, d + block * ResultD::kRegisters, c + block * ResultC::kRegisters,
                   results[block], executed);
  }
  return step + 1;
}

template <class Elements, class ResultD, class ResultC, unsigned kRows, unsigned kColumns,
          unsigned kChunks>
Handlers Multiplies(const ptx::Instruction& instruction) {
  const bool fits =
      ElementCount(instruction, 0) == kRows * kColumns * ResultD::kRegisters &&
      ElementCount(instruction, 1) == RegistersOfFactor<Elements>(kRows * kChunks) &&
      ElementCount(instruction, 2) == RegistersOfFactor<Elements>(kColumns * kChunks) &&
      ElementCount(instruction, 3) == kRows * kColumns * ResultC::kRegisters;
  if (!fits) {
    return {};
  }
  constexpr Handler kBoth = WmmaMultiply<Elements, ResultD, ResultC, kRows, kColumns, kChunks>;
  return {.full = kBoth, .masked = kBoth};
}

template <class Elements, class ResultD, class ResultC, unsigned kChunks>
Handlers MultiplyShapes(const ptx::Instruction& instruction) {
  if (instruction.k != 16) {
    return {};
  }
  if (instruction.m == 16 && instruction.n == 16) {
    return Multiplies<Elements, ResultD, ResultC, 2, 2, kChunks>(instruction);
  }
  if (instruction.m == 32 && instruction.n == 8) {
    return Multiplies<Elements, ResultD, ResultC, 4, 1, kChunks>(instruction);
  }
  if (instruction.m == 8 && instruction.n == 32) {
    return Multiplies<Elements, ResultD, ResultC, 1, 4, kChunks>(instruction);
  }
  return {};
}

template <class Elements>
Handlers MultiplyIntegers(const ptx::Instruction& instruction) {
  using Saturating = IntegerResults<Saturation::kSaturates>;
  using Wrapping = IntegerResults<Saturation::kWraps>;
  return instruction.saturate ? MultiplyShapes<Elements, Saturating, Saturating, 1>(instruction)
                              : MultiplyShapes<Elements, Wrapping, Wrapping, 1>(instruction);
}

Handlers MultiplyHalves(const ptx::Instruction& instruction, Type c) {
  if (instruction.saturate) {
    return {};
  }
  if (instruction.type == Type::kF32) {
    return c == Type::kF32
               ? MultiplyShapes<HalfElements, FloatResults, FloatResults, 2>(instruction)
               : MultiplyShapes<HalfElements, FloatResults, HalfResults, 2>(instruction);
  }
  return c == Type::kF32 ? MultiplyShapes<HalfElements, HalfResults, FloatResults, 2>(instruction)
                         : MultiplyShapes<HalfElements, HalfResults, HalfResults, 2>(instruction);
}

Handlers SelectMultiply(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 4 || instruction.bool_op != ptx::BoolOp::kNone) {
    return {};
  }
  // `.f32.f16` are the types of D and C: those of A and B are f16.
  if (instruction.third_type == Type::kNone) {
    return MultiplyHalves(instruction, instruction.source_type);
  }
  if (instruction.source_type != instruction.third_type) {
    return {};
  }
  switch (instruction.source_type) {
    case Type::kF16:
      return MultiplyHalves(instruction, instruction.fourth_type);
    case Type::kBf16:
      return MultiplyShapes<BrainElements, FloatResults, FloatResults, 2>(instruction);
    case Type::kTf32:
      return instruction.m == 16 && instruction.n == 16 && instruction.k == 8
                 ? Multiplies<Tf32Elements, FloatResults, FloatResults, 2, 2, 2>(instruction)
                 : Handlers{};
    case Type::kS8:
      return MultiplyIntegers<IntegerElements<8, Sign::kSigned>>(instruction);
    case Type::kU8:
      return MultiplyIntegers<IntegerElements<8, Sign::kUnsigned>>(instruction);
    case Type::kF64:
      return instruction.m == 8 ? SelectMmaDouble(instruction) : Handlers{};
    default:
      return {};
  }
}

}  // namespace

Handlers SelectWmma(const ptx::Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kLoad:
      return SelectAccess(instruction, Direction::kLoad);
    case Mode::kStore:
      return SelectAccess(instruction, Direction::kStore);
    case Mode::kMma:
      return SelectMultiply(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

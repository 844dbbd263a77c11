// SPDX-License-Identifier: Apache-2.0
// shfl.sync (the form without .sync is not of sm_70 and above). A lane whose source lane takes no
// part (it is not active, or not in the reader's mask) gets a fixed odd value, UndefinedValue, and
// is reported (kInactiveSource).
#include <cstdint>

#include "emulator/ops/collective.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

using ptx::Mode;

enum class Destinations : std::uint8_t { kValue, kValueAndPredicate };

/// From which lane each lane reads, and whether that lies in its segment ("PTX ISA", shfl.sync).
struct Sources {
  alignas(64) std::int32_t lanes[kWarpSize];
  LaneMask in_range = 0;
};

template <Mode kMode>
ASSAY_GPU_INLINE void FindSources(const std::uint32_t* b, const std::uint32_t* c,
                                  Sources& sources) {
  const VectorOf<std::int32_t> d;
  const auto low5 = hn::Set(d, 31);
  sources.in_range = kAllLanes;
  for (std::uint32_t first = 0; first < kWarpSize; first += kPerVector<std::int32_t>) {
    const auto lane = hn::Iota(d, static_cast<std::int32_t>(first));
    const auto bounds = hn::Load(d, reinterpret_cast<const std::int32_t*>(c) + first);
    const auto offset =
        hn::And(hn::Load(d, reinterpret_cast<const std::int32_t*>(b) + first), low5);
    const auto segment = hn::And(hn::ShiftRight<8>(bounds), low5);
    const auto most = hn::Or(hn::And(segment, lane), hn::AndNot(segment, hn::And(bounds, low5)));
    auto source = lane;
    if constexpr (kMode == Mode::kUp) {
      source = hn::Sub(lane, offset);
    }
    if constexpr (kMode == Mode::kDown) {
      source = hn::Add(lane, offset);
    }
    if constexpr (kMode == Mode::kBfly) {
      source = hn::Xor(lane, offset);
    }
    if constexpr (kMode == Mode::kIdx) {
      source = hn::Or(hn::And(segment, lane), hn::AndNot(segment, offset));
    }
    const auto outside = kMode == Mode::kUp ? hn::Lt(source, most) : hn::Gt(source, most);
    hn::Store(hn::IfThenElse(outside, lane, source), d, sources.lanes + first);
    sources.in_range ^= WarpMask<std::int32_t>(outside, first);
  }
}

#if defined(__AVX512F__)
ASSAY_GPU_INLINE void Permute(const std::uint32_t* values, const std::int32_t* lanes,
                              std::uint32_t* permuted) {
  const __m512i low = _mm512_load_si512(values);
  const __m512i high = _mm512_load_si512(values + 16);
  for (int half = 0; half < 2; ++half) {
    const __m512i index = _mm512_load_si512(lanes + 16 * half);
    _mm512_store_si512(permuted + 16 * half, _mm512_permutex2var_epi32(low, index, high));
  }
}

#else
ASSAY_GPU_INLINE void Permute(const std::uint32_t* values, const std::int32_t* lanes,
                              std::uint32_t* permuted) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    permuted[lane] = values[lanes[lane]];
  }
}

#endif

/// The lanes of `executed` whose source is not executed or not in their mask. An own lane counts
/// as a source that takes part.
ASSAY_GPU_INLINE LaneMask WithoutSource(const Sources& sources, const LaneMask* masks,
                                        LaneMask executed) {
  LaneMask without = 0;
  for (LaneMask left = executed; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMask source = LaneMask{1} << static_cast<unsigned>(sources.lanes[lane]);
    const LaneMask own = LaneMask{1} << static_cast<unsigned>(lane);
    if (source != own && (source & executed & masks[lane]) == 0) {
      without |= own;
    }
  }
  return without;
}

template <Mode kMode, Destinations kDestinations, Form kForm>
const Step* Shuffle(Warp& warp, const Step* step) {
  constexpr unsigned kFirst = kDestinations == Destinations::kValueAndPredicate ? 2 : 1;
  constexpr unsigned kCount = kFirst + 4;
  const LaneMask executed = LanesToRun<kForm>(warp, step);
  const auto* masks = Lanes<LaneMask>(warp, OperandAt<kCount>(step, kFirst + 3));
  const bool whole = kForm == Form::kFull && AllName(masks);
  if (!whole) {
    LaneMask wanted = 0;
    if (!MembersArrived(warp, step, masks, executed, wanted)) {
      return WaitForLanes(warp, step, wanted);
    }
  }
  Sources sources;
  FindSources<kMode>(Lanes<std::uint32_t>(warp, OperandAt<kCount>(step, kFirst + 1)),
                     Lanes<std::uint32_t>(warp, OperandAt<kCount>(step, kFirst + 2)), sources);
  alignas(64) std::uint32_t values[kWarpSize];
  Permute(Lanes<std::uint32_t>(warp, OperandAt<kCount>(step, kFirst)), sources.lanes, values);
  if (!whole) {
    if (const LaneMask without = WithoutSource(sources, masks, executed); without != 0) {
      ReportInactiveSources(warp, step, without, sources.lanes);
      Broadcast(values, UndefinedValue(warp), without);
    }
  }
  StoreLanes(Lanes<std::uint32_t>(warp, OperandAt<kCount>(step, 0)), values, executed);
  if constexpr (kDestinations == Destinations::kValueAndPredicate) {
    StorePredicate(Predicate(warp, OperandAt<kCount>(step, 1)), sources.in_range, executed);
  }
  return step + 1;
}

template <Mode kMode, Destinations kDestinations>
constexpr Handlers kShuffle{Shuffle<kMode, kDestinations, Form::kFull>,
                            Shuffle<kMode, kDestinations, Form::kMasked>};

template <Destinations kDestinations>
Handlers ShuffleOfMode(Mode mode) {
  switch (mode) {
    case Mode::kUp:
      return kShuffle<Mode::kUp, kDestinations>;
    case Mode::kDown:
      return kShuffle<Mode::kDown, kDestinations>;
    case Mode::kBfly:
      return kShuffle<Mode::kBfly, kDestinations>;
    case Mode::kIdx:
      return kShuffle<Mode::kIdx, kDestinations>;
    default:
      return {};
  }
}

}  // namespace

Handlers SelectShuffle(const ptx::Instruction& instruction) {
  const std::size_t count = instruction.operands.size();
  if (instruction.has_second_destination) {
    return count == 6 ? ShuffleOfMode<Destinations::kValueAndPredicate>(instruction.mode)
                      : Handlers{};
  }
  return count == 5 ? ShuffleOfMode<Destinations::kValue>(instruction.mode) : Handlers{};
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

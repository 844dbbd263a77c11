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

#if defined(__AVX512F__)

template <Mode kMode>
ASSAY_GPU_INLINE __mmask16 SourcesOfHalf(__m512i lane, __m512i b, __m512i c, __m512i& source) {
  const __m512i low5 = _mm512_set1_epi32(31);
  const __m512i offset = _mm512_and_si512(b, low5);
  const __m512i segment = _mm512_and_si512(_mm512_srli_epi32(c, 8), low5);
  // (lane & segment) | (c & 31 & ~segment)
  const __m512i clamp = _mm512_and_si512(c, low5);
  const __m512i most = _mm512_ternarylogic_epi32(segment, lane, clamp, 0xca);
  __mmask16 in_range;
  if constexpr (kMode == Mode::kUp) {
    source = _mm512_sub_epi32(lane, offset);
    in_range = _mm512_cmpge_epi32_mask(source, most);
  } else {
    if constexpr (kMode == Mode::kDown) {
      source = _mm512_add_epi32(lane, offset);
    }
    if constexpr (kMode == Mode::kBfly) {
      source = _mm512_xor_si512(lane, offset);
    }
    if constexpr (kMode == Mode::kIdx) {
      source = _mm512_ternarylogic_epi32(segment, lane, offset, 0xca);
    }
    in_range = _mm512_cmple_epi32_mask(source, most);
  }
  source = _mm512_mask_mov_epi32(lane, in_range, source);
  return in_range;
}

template <Mode kMode>
ASSAY_GPU_INLINE void FindSources(const std::uint32_t* b, const std::uint32_t* c,
                                  Sources& sources) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i lane16 = _mm512_add_epi32(lane, _mm512_set1_epi32(16));
  __m512i low;
  __m512i high;
  const auto first = SourcesOfHalf<kMode>(lane, _mm512_load_si512(b), _mm512_load_si512(c), low);
  const auto second =
      SourcesOfHalf<kMode>(lane16, _mm512_load_si512(b + 16), _mm512_load_si512(c + 16), high);
  _mm512_store_si512(sources.lanes, low);
  _mm512_store_si512(sources.lanes + 16, high);
  sources.in_range = static_cast<LaneMask>(first) | (static_cast<LaneMask>(second) << 16U);
}

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

template <Mode kMode>
ASSAY_GPU_INLINE void FindSources(const std::uint32_t* b, const std::uint32_t* c,
                                  Sources& sources) {
  alignas(64) std::int32_t inside[kWarpSize];
  for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(kWarpSize); ++lane) {
    const auto offset = static_cast<std::int32_t>(b[lane] & 31U);
    const auto segment = static_cast<std::int32_t>((c[lane] >> 8U) & 31U);
    const auto clamp = static_cast<std::int32_t>(c[lane] & 31U);
    const std::int32_t most = (lane & segment) | (clamp & ~segment);
    std::int32_t source = 0;
    if constexpr (kMode == Mode::kUp) {
      source = lane - offset;
    }
    if constexpr (kMode == Mode::kDown) {
      source = lane + offset;
    }
    if constexpr (kMode == Mode::kBfly) {
      source = lane ^ offset;
    }
    if constexpr (kMode == Mode::kIdx) {
      source = (lane & segment) | (offset & ~segment);
    }
    const bool in_range = kMode == Mode::kUp ? source >= most : source <= most;
    sources.lanes[lane] = in_range ? source : lane;
    inside[lane] = in_range ? 1 : 0;
  }
  sources.in_range = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    sources.in_range |= static_cast<LaneMask>(inside[lane]) << lane;
  }
}

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

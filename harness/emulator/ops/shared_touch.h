// SPDX-License-Identifier: Apache-2.0
// Marks the granules that an access to shared memory touches in their shadow, where that is no
// possible hazard (shared_tags.h has the rules): of consecutive lanes, of scattered ones, and of
// one place that all read. Included only by the sources of ops/ (see lanes.h).
//
// Each function is true when all granules are marked. False: one of them needs the definition's
// look, and the caller gives it the whole access. Some granules may have been marked before that;
// the definition marks them again, and since an access does not clash with its own tag, neither
// check sees a hazard in that.
#ifndef ASSAY_EMULATOR_OPS_SHARED_TOUCH_H_
#define ASSAY_EMULATOR_OPS_SHARED_TOUCH_H_

#include <cstdint>

#include "emulator/ops/shared_tags.h"

namespace assay::gpu::ASSAY_GPU_ISA {

#if defined(__AVX512F__)

/// 16 granules from `first` on, those of `active`; lane l of `lanes` accesses granule l. False:
/// none of the 16 was marked.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchGranules(const SharedToucher& toucher, std::int32_t first, __m512i lanes,
                                    __mmask16 active) {
  std::uint32_t* writers = toucher.shadow->writers + first;
  std::uint32_t* readers = toucher.shadow->readers + first;
  const __m512i now = TagsOf<kKind>(toucher, lanes);
  __m512i site = SitesOf<kKind>(toucher, lanes);
  const __m512i writer = _mm512_maskz_loadu_epi32(active, writers);
  const __m512i reader = _mm512_maskz_loadu_epi32(active, readers);
  if (PossibleHazards<kKind>(toucher, writer, reader, now, active) != 0) {
    return false;
  }
  if constexpr (kKind == TouchKind::kRead) {
    const JoinedReaders joined = JoinReaders(reader, now);
    std::uint32_t* sites = toucher.shadow->reader_sites + first;
    if ((joined.lanes & active) != 0) {
      site = SitesOfLanes(joined, site, reader, _mm512_maskz_loadu_epi32(active, sites), lanes);
    }
    _mm512_mask_storeu_epi32(readers, active, joined.tags);
    _mm512_mask_storeu_epi32(sites, active & joined.sites, site);
  } else {
    _mm512_mask_storeu_epi32(writers, active, now);
    _mm512_mask_storeu_epi32(toucher.shadow->writer_sites + first, active, site);
  }
  return true;
}

/// The granules `at`, one for each of 16 lanes. False: none of them was marked.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchScatteredGranules(const SharedToucher& toucher, __m512i at,
                                             __m512i lanes, __mmask16 active) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i now = TagsOf<kKind>(toucher, lanes);
  __m512i site = SitesOf<kKind>(toucher, lanes);
  const __m512i writer = _mm512_mask_i32gather_epi32(zero, active, at, toucher.shadow->writers, 4);
  const __m512i reader = _mm512_mask_i32gather_epi32(zero, active, at, toucher.shadow->readers, 4);
  __mmask16 bad = PossibleHazards<kKind>(toucher, writer, reader, now, active);
  if constexpr (kKind == TouchKind::kWrite) {
    // Lanes that write one granule in one instruction: no earlier tag tells of that.
    const __m512i equal = _mm512_maskz_conflict_epi32(active, at);
    bad |= _mm512_mask_test_epi32_mask(active, equal, _mm512_set1_epi32(active));
  }
  if (bad != 0) {
    return false;
  }
  if constexpr (kKind == TouchKind::kRead) {
    const JoinedReaders joined = JoinReaders(reader, now);
    std::uint32_t* sites = toucher.shadow->reader_sites;
    if ((joined.lanes & active) != 0) {
      const __m512i was = _mm512_mask_i32gather_epi32(zero, active, at, sites, 4);
      site = SitesOfLanes(joined, site, reader, was, lanes);
    }
    _mm512_mask_i32scatter_epi32(toucher.shadow->readers, active, at, joined.tags, 4);
    _mm512_mask_i32scatter_epi32(sites, active & joined.sites, at, site, 4);
  } else {
    _mm512_mask_i32scatter_epi32(toucher.shadow->writers, active, at, now, 4);
    _mm512_mask_i32scatter_epi32(toucher.shadow->writer_sites, active, at, site, 4);
  }
  return true;
}

/// Consecutive elements; `start` is the offset in shared memory of lane 0's, active or not.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedRun(const SharedToucher& toucher, std::uint32_t start,
                                     LaneMask lanes) {
  const std::uint32_t shift = toucher.shadow->granule_shift;
  if (kSize >> shift == 0) {
    return false;
  }
  // Granules of an element, as a shift.
  const auto each = static_cast<std::uint32_t>(__builtin_ctz(kSize >> shift));
  const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // Below 0 where lanes before the first active one would lie.
  const std::int32_t first = static_cast<std::int32_t>(start) >> shift;
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(each));
  const __m512i all = _mm512_set1_epi32(static_cast<int>(lanes));
  const __m512i one = _mm512_set1_epi32(1);
  for (std::uint32_t g = 0; g < kWarpSize << each; g += 16) {
    const __m512i lane =
        _mm512_srl_epi32(_mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(g))), by);
    const __mmask16 active = _mm512_test_epi32_mask(_mm512_srlv_epi32(all, lane), one);
    if (active == 0) {
      continue;
    }
    if (!TouchGranules<kKind>(toucher, first + static_cast<std::int32_t>(g), lane, active)) {
      return false;
    }
  }
  return true;
}

/// An element anywhere for each lane.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedScattered(const SharedToucher& toucher,
                                           const std::uint64_t* offsets, LaneMask lanes) {
  const std::uint32_t shift = toucher.shadow->granule_shift;
  const std::uint32_t each = kSize >> shift;
  if (each == 0) {
    return false;
  }
  const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (std::uint32_t half = 0; half < 2; ++half) {
    const auto active = static_cast<__mmask16>(lanes >> (16 * half));
    if (active == 0) {
      continue;
    }
    const __m256i low = _mm512_cvtepi64_epi32(_mm512_load_si512(offsets + 16 * half));
    const __m256i high = _mm512_cvtepi64_epi32(_mm512_load_si512(offsets + 16 * half + 8));
    __m512i at = _mm512_srl_epi32(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), by);
    const __m512i lane = _mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(16 * half)));
    for (std::uint32_t g = 0; g < each; ++g) {
      if (!TouchScatteredGranules<kKind>(toucher, at, lane, active)) {
        return false;
      }
      at = _mm512_add_epi32(at, _mm512_set1_epi32(1));
    }
  }
  return true;
}

#else

/// One lane's element.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedLane(const SharedToucher& toucher, std::uint64_t offset,
                                      std::uint32_t lane) {
  if constexpr (kKind == TouchKind::kAtomic) {
    return false;
  }
  BlockShadow& shadow = *toucher.shadow;
  const std::uint32_t now = toucher.tag | lane;
  const auto first = static_cast<std::uint32_t>(offset >> shadow.granule_shift);
  for (std::uint32_t g = first; g < first + (kSize >> shadow.granule_shift); ++g) {
    if (MayClash(shadow.writers[g], now)) {
      return false;
    }
    if constexpr (kKind == TouchKind::kRead) {
      // Readers that would have to be joined are left to the definition.
      if (shadow.writers[g] < toucher.first_tag || MayClash(shadow.readers[g], now)) {
        return false;
      }
      shadow.readers[g] = now;
      shadow.reader_sites[g] = toucher.instruction;
    } else {
      if (MayClash(shadow.readers[g], now)) {
        return false;
      }
      shadow.writers[g] = now;
      shadow.writer_sites[g] = toucher.instruction;
    }
  }
  return true;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedScattered(const SharedToucher& toucher,
                                           const std::uint64_t* offsets, LaneMask lanes) {
  if (kSize >> toucher.shadow->granule_shift == 0) {
    return false;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = FirstLane(lanes);
    if (!TouchSharedLane<kSize, kKind>(toucher, offsets[lane], lane)) {
      return false;
    }
  }
  return true;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedRun(const SharedToucher& toucher, std::uint32_t start,
                                     LaneMask lanes) {
  if (kSize >> toucher.shadow->granule_shift == 0) {
    return false;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = FirstLane(lanes);
    if (!TouchSharedLane<kSize, kKind>(toucher, start + lane * kSize, lane)) {
      return false;
    }
  }
  return true;
}

#endif

/// One element that all `lanes` read.
template <std::uint32_t kSize>
ASSAY_GPU_INLINE bool TouchSharedBroadcast(const SharedToucher& toucher, std::uint32_t offset,
                                           LaneMask lanes) {
  BlockShadow& shadow = *toucher.shadow;
  const std::uint32_t each = kSize >> shadow.granule_shift;
  if (each == 0) {
    return false;
  }
  const bool single = (lanes & (lanes - 1)) == 0;
  const std::uint32_t now = toucher.tag | (single ? FirstLane(lanes) : kTagManyLanes);
  const std::uint32_t first = offset >> shadow.granule_shift;
  for (std::uint32_t g = first; g < first + each; ++g) {
    const std::uint32_t writer = shadow.writers[g];
    if (MayClash(writer, now) || writer < toucher.first_tag) {
      return false;
    }
    JoinBroadcast(toucher, lanes, now, shadow.readers[g], shadow.reader_sites[g]);
  }
  return true;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SHARED_TOUCH_H_

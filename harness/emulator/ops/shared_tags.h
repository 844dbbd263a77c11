// SPDX-License-Identifier: Apache-2.0
// The rules of the shadow of shared memory, for many granules at once: which earlier accesses an
// access may clash with, and how readers of one granule join. Included only by the sources of ops/
// (see lanes.h).
//
// Theory. For each granule (the smallest access that the program makes) BlockShadow keeps the last
// write and the readers since, each as a tag and a site. A tag is a logical time and a thread,
// from the highest bits down: the block's barrier epoch, the warp, the warp's own epoch of
// __syncwarp and the lane. Two accesses are unordered, hence a hazard where one of them writes, if
// and only if no barrier lies between them: the same barrier epoch, and either different warps, or
// one warp in one sync epoch with different lanes. Since the fields are in that order, the xor of
// two tags tells which is the highest field in which they differ, and comparisons with powers of
// two decide a clash without taking the tags apart.
//
// One tag and one site stand for all readers of a granule: lanes of a warp join to kTagManyLanes,
// warps to kTagManyWarps with the first one in the place of the sync epoch. No reader is lost by
// that: a later write by any warp clashes with kTagManyWarps, and by any lane with kTagManyLanes.
//
// The definition is memory/shared_shadow.cc. The code here may take accesses for clashes that are
// none, which costs only time, since the definition then decides; it must miss none.
#ifndef ASSAY_EMULATOR_OPS_SHARED_TAGS_H_
#define ASSAY_EMULATOR_OPS_SHARED_TAGS_H_

#include <cstdint>

#include "emulator/memory/access.h"
#include "emulator/ops/lane_layout.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// Of an access to shared memory, what its granules are marked with.
struct SharedToucher {
  BlockShadow* shadow;
  std::uint32_t tag;        ///< With lane 0.
  std::uint32_t first_tag;  ///< A writer's tag below it: not written by this block.
  std::uint32_t instruction;
};

/// Whether an access with tag `was` may clash with one with tag `now`.
ASSAY_GPU_INLINE bool MayClash(std::uint32_t was, std::uint32_t now) {
  const std::uint32_t other = was ^ now;
  return other != 0 && other < 1U << kTagEpochShift &&
         (other < 1U << kTagSyncShift || other >= 1U << kTagWarpShift);
}

#if defined(__AVX512F__)

/// The same of 16 granules.
ASSAY_GPU_INLINE __mmask16 MayClash(__m512i was, __m512i now) {
  const __m512i other = _mm512_xor_si512(was, now);
  const __mmask16 epoch = _mm512_cmplt_epu32_mask(other, _mm512_set1_epi32(1 << kTagEpochShift));
  const __m512i sync = _mm512_sub_epi32(other, _mm512_set1_epi32(1 << kTagSyncShift));
  const __mmask16 different = _mm512_mask_cmpge_epu32_mask(
      epoch, sync, _mm512_set1_epi32((1 << kTagWarpShift) - (1 << kTagSyncShift)));
  return _mm512_mask_test_epi32_mask(different, other, other);
}

/// Readers of 16 granules, those of before and those of an access.
struct JoinedReaders {
  __m512i tags;
  __mmask16 sites;  ///< Whose sites are to be stored.
  __mmask16 lanes;  ///< Whose readers are several lanes of one warp.
};

/// JoinReader of shared_shadow.cc, 16 at once.
ASSAY_GPU_INLINE JoinedReaders JoinReaders(__m512i was, __m512i now) {
  const __m512i other = _mm512_xor_si512(was, now);
  const __mmask16 epoch = _mm512_cmplt_epu32_mask(other, _mm512_set1_epi32(1 << kTagEpochShift));
  if (epoch == 0) {
    return {.tags = now, .sites = 0xffff, .lanes = 0};
  }
  const __m512i many = _mm512_set1_epi32(static_cast<int>(kTagManyWarps));
  const __m512i warp = _mm512_and_si512(was, many);
  const __mmask16 warps =
      _mm512_mask_cmpge_epu32_mask(epoch, other, _mm512_set1_epi32(1 << kTagWarpShift));
  const __mmask16 lanes = _mm512_mask_test_epi32_mask(
      _mm512_mask_cmplt_epu32_mask(epoch, other, _mm512_set1_epi32(1 << kTagSyncShift)), other,
      other);
  __m512i joined =
      _mm512_mask_or_epi32(now, lanes, _mm512_andnot_si512(_mm512_set1_epi32(kTagLane), now),
                           _mm512_set1_epi32(kTagManyLanes));
  if (warps != 0) {
    const __m512i first = _mm512_or_si512(_mm512_srli_epi32(warp, kTagWarpShift - kTagSyncShift),
                                          _mm512_and_si512(was, _mm512_set1_epi32(kTagLane)));
    const __m512i top =
        _mm512_and_si512(now, _mm512_set1_epi32(static_cast<int>(~((1U << kTagEpochShift) - 1U))));
    joined = _mm512_mask_or_epi32(joined, warps, _mm512_or_si512(top, many), first);
  }
  const __mmask16 known = _mm512_mask_cmpeq_epi32_mask(epoch, warp, many);
  return {.tags = _mm512_mask_mov_epi32(joined, known, was),
          .sites = static_cast<__mmask16>(~(warps | known)),
          .lanes = static_cast<__mmask16>(lanes & ~(warps | known))};
}

/// The sites of 16 granules. Where several lanes of a warp have read one, the site names two of
/// them: the first that was there and one of `lanes`.
ASSAY_GPU_INLINE __m512i SitesOfLanes(const JoinedReaders& joined, __m512i site, __m512i was,
                                      __m512i was_site, __m512i lanes) {
  const __m512i was_lane = _mm512_and_si512(was, _mm512_set1_epi32(kTagLane));
  const __mmask16 one = _mm512_cmplt_epu32_mask(was_lane, _mm512_set1_epi32(kWarpSize));
  __m512i both = _mm512_andnot_si512(_mm512_set1_epi32(kSiteInstruction), was_site);
  both = _mm512_mask_or_epi32(both, one, _mm512_slli_epi32(was_lane, kFirstLaneShift),
                              _mm512_slli_epi32(lanes, kSecondLaneShift));
  return _mm512_mask_or_epi32(site, joined.lanes, site, both);
}

/// The sites that an access by `lanes` leaves; an atomic's name their lane, since its tag does not.
template <TouchKind kKind>
ASSAY_GPU_INLINE __m512i SitesOf(const SharedToucher& toucher, __m512i lanes) {
  const __m512i site = _mm512_set1_epi32(static_cast<int>(toucher.instruction));
  if constexpr (kKind != TouchKind::kAtomic) {
    return site;
  }
  return _mm512_or_si512(site, _mm512_or_si512(_mm512_slli_epi32(lanes, kFirstLaneShift),
                                               _mm512_slli_epi32(lanes, kSecondLaneShift)));
}

/// The tags of an access by `lanes`.
template <TouchKind kKind>
ASSAY_GPU_INLINE __m512i TagsOf(const SharedToucher& toucher, __m512i lanes) {
  const __m512i tag = _mm512_set1_epi32(static_cast<int>(toucher.tag));
  return _mm512_or_si512(tag, kKind == TouchKind::kAtomic ? _mm512_set1_epi32(kTagAtomic) : lanes);
}

/// Granules of `active` whose access may be a hazard, or may read what was not written.
template <TouchKind kKind>
ASSAY_GPU_INLINE __mmask16 PossibleHazards(const SharedToucher& toucher, __m512i writer,
                                           __m512i reader, __m512i now, __mmask16 active) {
  __mmask16 bad = MayClash(writer, now);
  if constexpr (kKind == TouchKind::kAtomic) {
    // Atomics do not clash with each other.
    const __m512i lane = _mm512_and_si512(writer, _mm512_set1_epi32(kTagLane));
    bad = _mm512_mask_cmpneq_epi32_mask(bad, lane, _mm512_set1_epi32(kTagAtomic));
  }
  if constexpr (kKind != TouchKind::kRead) {
    bad |= MayClash(reader, now);
  }
  bad &= active;
  if constexpr (kKind != TouchKind::kWrite) {
    bad |= _mm512_mask_cmplt_epu32_mask(active, writer,
                                        _mm512_set1_epi32(static_cast<int>(toucher.first_tag)));
  }
  return bad;
}

#endif

/// Readers of one granule, those of before and `lanes` of a warp that all read it; `now` is their
/// tag. (JoinReader of shared_shadow.cc, of several lanes at once.)
ASSAY_GPU_INLINE void JoinBroadcast(const SharedToucher& toucher, LaneMask lanes, std::uint32_t now,
                                    std::uint32_t& reader, std::uint32_t& site) {
  const std::uint32_t apart = reader ^ now;
  const bool same_epoch = apart < 1U << kTagEpochShift;
  if (apart == 0 || (same_epoch && (reader & kTagManyWarps) == kTagManyWarps)) {
    return;
  }
  const std::uint32_t ends = FirstLane(lanes) << kFirstLaneShift | LastLane(lanes)
                                                                       << kSecondLaneShift;
  if (same_epoch && apart >= 1U << kTagWarpShift) {
    reader = (now >> kTagEpochShift << kTagEpochShift) | kTagManyWarps |
             (reader & kTagManyWarps) >> (kTagWarpShift - kTagSyncShift) | (reader & kTagLane);
    return;
  }
  if (apart >= 1U << kTagSyncShift || (lanes & (lanes - 1)) != 0) {
    site = toucher.instruction | ends;
  } else {
    const std::uint32_t was = reader & kTagLane;
    const std::uint32_t both = was < kWarpSize
                                   ? was << kFirstLaneShift | FirstLane(lanes) << kSecondLaneShift
                                   : site & ~kSiteInstruction;
    site = toucher.instruction | both;
  }
  reader = apart < 1U << kTagSyncShift ? (now & ~kTagLane) | kTagManyLanes : now;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SHARED_TAGS_H_

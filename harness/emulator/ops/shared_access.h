// SPDX-License-Identifier: Apache-2.0
// Like memory_access.h, for shared and local memory and parameters.
#ifndef ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_
#define ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_

#include "emulator/ops/memory_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// What the shadow of shared memory needs of an access.
struct SharedToucher {
  BlockShadow* shadow;
  std::uint32_t tag;        ///< With lane 0.
  std::uint32_t first_tag;  ///< Below it: not written by this block.
  std::uint32_t instruction;
};

#if defined(__AVX512F__)

/// Lanes of `was` that may clash with an access `now` (shared_shadow.cc has the rule; this one
/// also takes some that do not clash).
ASSAY_GPU_INLINE __mmask16 MayClash(__m512i was, __m512i now) {
  const __m512i other = _mm512_xor_si512(was, now);
  const __mmask16 epoch = _mm512_cmplt_epu32_mask(other, _mm512_set1_epi32(1 << kTagEpochShift));
  const __m512i sync = _mm512_sub_epi32(other, _mm512_set1_epi32(1 << kTagSyncShift));
  const __mmask16 different = _mm512_mask_cmpge_epu32_mask(
      epoch, sync, _mm512_set1_epi32((1 << kTagWarpShift) - (1 << kTagSyncShift)));
  return _mm512_mask_test_epi32_mask(different, other, other);
}

struct JoinedReaders {
  __m512i tags;
  __mmask16 sites;  ///< Whose sites are to be stored.
  __mmask16 lanes;  ///< That several lanes of one warp read.
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

/// The sites of readers that several lanes of a warp are, of what the first of them left.
ASSAY_GPU_INLINE __m512i SitesOfLanes(const JoinedReaders& joined, __m512i site, __m512i was,
                                      __m512i was_site, __m512i lanes) {
  const __m512i was_lane = _mm512_and_si512(was, _mm512_set1_epi32(kTagLane));
  const __mmask16 one = _mm512_cmplt_epu32_mask(was_lane, _mm512_set1_epi32(kWarpSize));
  __m512i both = _mm512_andnot_si512(_mm512_set1_epi32(kSiteInstruction), was_site);
  both = _mm512_mask_or_epi32(both, one, _mm512_slli_epi32(was_lane, kFirstLaneShift),
                              _mm512_slli_epi32(lanes, kSecondLaneShift));
  return _mm512_mask_or_epi32(site, joined.lanes, site, both);
}

template <TouchKind kKind>
ASSAY_GPU_INLINE __m512i SitesOf(const SharedToucher& toucher, __m512i lanes) {
  const __m512i site = _mm512_set1_epi32(static_cast<int>(toucher.instruction));
  if constexpr (kKind != TouchKind::kAtomic) {
    return site;
  }
  return _mm512_or_si512(site, _mm512_or_si512(_mm512_slli_epi32(lanes, kFirstLaneShift),
                                               _mm512_slli_epi32(lanes, kSecondLaneShift)));
}

/// Granules of `active` that an access may not touch just so.
template <TouchKind kKind>
ASSAY_GPU_INLINE __mmask16 Suspects(const SharedToucher& toucher, __m512i writer, __m512i reader,
                                    __m512i now, __mmask16 active) {
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

template <TouchKind kKind>
ASSAY_GPU_INLINE __m512i TagsOf(const SharedToucher& toucher, __m512i lanes) {
  const __m512i tag = _mm512_set1_epi32(static_cast<int>(toucher.tag));
  return _mm512_or_si512(tag, kKind == TouchKind::kAtomic ? _mm512_set1_epi32(kTagAtomic) : lanes);
}

/// 16 granules from `first` on, those of `active`; false: nothing was changed for them.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchGranules(const SharedToucher& toucher, std::int32_t first, __m512i lanes,
                                    __mmask16 active) {
  std::uint32_t* writers = toucher.shadow->writers + first;
  std::uint32_t* readers = toucher.shadow->readers + first;
  const __m512i now = TagsOf<kKind>(toucher, lanes);
  __m512i site = SitesOf<kKind>(toucher, lanes);
  const __m512i writer = _mm512_maskz_loadu_epi32(active, writers);
  const __m512i reader = _mm512_maskz_loadu_epi32(active, readers);
  if (Suspects<kKind>(toucher, writer, reader, now, active) != 0) {
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

/// The granules `at`, one for each of 16 lanes.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchScatteredGranules(const SharedToucher& toucher, __m512i at,
                                             __m512i lanes, __mmask16 active) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i now = TagsOf<kKind>(toucher, lanes);
  __m512i site = SitesOf<kKind>(toucher, lanes);
  const __m512i writer = _mm512_mask_i32gather_epi32(zero, active, at, toucher.shadow->writers, 4);
  const __m512i reader = _mm512_mask_i32gather_epi32(zero, active, at, toucher.shadow->readers, 4);
  __mmask16 bad = Suspects<kKind>(toucher, writer, reader, now, active);
  if constexpr (kKind == TouchKind::kWrite) {
    const __m512i twins = _mm512_maskz_conflict_epi32(active, at);
    bad |= _mm512_mask_test_epi32_mask(active, twins, _mm512_set1_epi32(active));
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

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedRun(const SharedToucher& toucher, std::uint32_t start,
                                     LaneMask lanes) {
  const std::uint32_t shift = toucher.shadow->granule_shift;
  if (kSize >> shift == 0) {
    return false;
  }
  const auto each = static_cast<std::uint32_t>(__builtin_ctz(kSize >> shift));  // Log of granules.
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

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool TouchSharedLane(const SharedToucher& toucher, std::uint64_t offset,
                                      std::uint32_t lane) {
  if constexpr (kKind == TouchKind::kAtomic) {
    return false;
  }
  BlockShadow& shadow = *toucher.shadow;
  const std::uint32_t now = toucher.tag | lane;
  const auto may_clash = [now](std::uint32_t was) __attribute__((always_inline)) {
    const std::uint32_t other = was ^ now;
    return other != 0 && other < 1U << kTagEpochShift &&
           (other < 1U << kTagSyncShift || other >= 1U << kTagWarpShift);
  };
  const auto first = static_cast<std::uint32_t>(offset >> shadow.granule_shift);
  for (std::uint32_t g = first; g < first + (kSize >> shadow.granule_shift); ++g) {
    if (may_clash(shadow.writers[g])) {
      return false;
    }
    if constexpr (kKind == TouchKind::kRead) {
      // Readers that would have to be joined are left to the thorough way.
      if (shadow.writers[g] < toucher.first_tag || may_clash(shadow.readers[g])) {
        return false;
      }
      shadow.readers[g] = now;
      shadow.reader_sites[g] = toucher.instruction;
    } else {
      if (may_clash(shadow.readers[g])) {
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

/// One place that all lanes read.
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
  const std::uint32_t fresh_site = toucher.instruction | FirstLane(lanes) << kFirstLaneShift |
                                   LastLane(lanes) << kSecondLaneShift;
  const std::uint32_t first = offset >> shadow.granule_shift;
  for (std::uint32_t g = first; g < first + each; ++g) {
    const std::uint32_t writer = shadow.writers[g];
    const std::uint32_t other = writer ^ now;
    const bool clash = other < 1U << kTagEpochShift && other != 0 &&
                       (other < 1U << kTagSyncShift || other >= 1U << kTagWarpShift);
    if (clash || writer < toucher.first_tag) {
      return false;
    }
    const std::uint32_t reader = shadow.readers[g];
    const std::uint32_t apart = reader ^ now;
    if (apart == 0) {
      continue;
    }
    const bool same_epoch = apart < 1U << kTagEpochShift;
    if (same_epoch && (reader & kTagManyWarps) == kTagManyWarps) {
      continue;
    }
    std::uint32_t joined = now;
    std::uint32_t& site = shadow.reader_sites[g];
    if (same_epoch && apart >= 1U << kTagWarpShift) {
      joined = (now >> kTagEpochShift << kTagEpochShift) | kTagManyWarps |
               (reader & kTagManyWarps) >> (kTagWarpShift - kTagSyncShift) | (reader & kTagLane);
    } else if (apart < 1U << kTagSyncShift) {
      joined = (now & ~kTagLane) | kTagManyLanes;
      const std::uint32_t was = reader & kTagLane;
      const std::uint32_t both = was < kWarpSize
                                     ? was << kFirstLaneShift | FirstLane(lanes) << kSecondLaneShift
                                     : site & ~kSiteInstruction;
      site = single ? toucher.instruction | both : fresh_site;
    } else {
      site = fresh_site;
    }
    shadow.readers[g] = joined;
  }
  return true;
}

/// Passes that banks need for a scattered access, memoised until mask, phase or offsets change.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] std::uint32_t CountScatteredWaves(Warp& warp, const Step* step, LaneMask lanes,
                                                    const std::uint64_t* offsets) {
  PatternCache* pattern = nullptr;
  alignas(64) std::uint32_t relative[kWarpSize];
  if (warp.worker->checker != nullptr) {
    pattern = warp.worker->checker->state.patterns + step->instruction;
    const auto first = static_cast<std::uint32_t>(offsets[FirstLane(lanes)]);
    std::uint32_t other = pattern->lanes ^ lanes;
    // Lanes share words only as far as these begin at multiples of 4.
    other |= pattern->phase ^ (first & 3U);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = ((lanes >> lane) & 1U) != 0;
      relative[lane] = active ? static_cast<std::uint32_t>(offsets[lane]) - first : 0;
      other |= relative[lane] ^ pattern->relative[lane];
    }
    if (other == 0) {
      return pattern->count;
    }
  }
  const MemoryAccess access{.warp = &warp,
                            .step = step,
                            .lanes = lanes,
                            .addresses = offsets,
                            .size_bytes = kSize,
                            .space = MemorySpace::kShared,
                            .kind = kKind,
                            .values = nullptr};
  const std::uint32_t count = CountRequest(access).count;
  if (pattern != nullptr) {
    std::memcpy(pattern->relative.data(), relative, sizeof(relative));
    pattern->lanes = lanes;
    pattern->phase = static_cast<std::uint32_t>(offsets[FirstLane(lanes)]) & 3U;
    pattern->count = count;
  }
  return count;
}

/// Half-warps (8 bytes) or quarter-warps (16 bytes) that have lanes: each takes a pass at least.
template <std::uint32_t kSize>
ASSAY_GPU_INLINE std::uint32_t CountParts(LaneMask lanes) {
  if constexpr (kSize <= 4) {
    return 1;
  } else {
    constexpr std::uint32_t kParts = kSize / 4;
    constexpr std::uint32_t kLanesEach = kWarpSize / kParts;
    std::uint32_t parts = 0;
    for (std::uint32_t part = 0; part < kParts; ++part) {
      parts += (lanes & (((1U << kLanesEach) - 1U) << (part * kLanesEach))) != 0 ? 1U : 0U;
    }
    return parts;
  }
}

/// Of an offset into a space: without its window's tag.
template <class A>
ASSAY_GPU_INLINE A WithoutWindow(A address, std::uint64_t window) {
  if constexpr (sizeof(A) == 8) {
    return (address >> kWindowShift) == (window >> kWindowShift) ? address ^ window : address;
  } else {
    return address;
  }
}

template <std::uint32_t kSize, TouchKind kKind, bool kFull, class A>
[[gnu::noinline]] Layout ResolveShared(Warp& warp, const Step* step, std::uint32_t base_operand,
                                       LaneMask lanes, Resolved& resolved) {
  const A* base = Lanes<A>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const std::uint64_t room = warp.launch->shared_bytes;
  const std::uint64_t first = WithoutWindow<A>(
      static_cast<A>(base[leader] + static_cast<A>(step->immediate)), kSharedWindow);
  const std::uint32_t threads = kFull ? kWarpSize : CountLanes(lanes);
  const bool checked = warp.worker->checker != nullptr;
  SharedToucher toucher{};
  if (checked) {
    const std::uint32_t tag = SharedTag(warp);
    auto* shadow = warp.block->shared_shadow;
    toucher = {.shadow = shadow,
               .tag = tag,
               .first_tag = shadow->first_epoch << kTagEpochShift,
               .instruction = step->instruction};
  }
  switch (LayoutOf<kSize>(base, lanes, leader)) {
    case Layout::kConsecutive: {
      const std::uint32_t last = kFull ? kWarpSize - 1 : LastLane(lanes);
      const std::uint64_t bytes = (last - leader + 1) * kSize;
      if (first % kSize != 0 || first >= room || bytes > room - first) {
        break;
      }
      const std::uint64_t start = first - leader * kSize;
      if (checked &&
          !TouchSharedRun<kSize, kKind>(toucher, static_cast<std::uint32_t>(start), lanes)) {
        break;
      }
      CountWaves<kSize>(warp, step, threads, CountParts<kSize>(lanes));
      resolved.at = warp.block->shared + static_cast<std::int64_t>(start);
      return Layout::kConsecutive;
    }
    case Layout::kUniform: {
      if (first % kSize != 0 || first >= room || kSize > room - first) {
        break;
      }
      if (checked) {
        if constexpr (kKind == TouchKind::kRead) {
          if (!TouchSharedBroadcast<kSize>(toucher, static_cast<std::uint32_t>(first), lanes)) {
            break;
          }
        } else {
          if (threads > 1 && kKind == TouchKind::kWrite) {
            break;
          }
          const auto start = static_cast<std::uint32_t>(first) - leader * kSize;
          if (!TouchSharedRun<kSize, kKind>(toucher, start, 1U << leader)) {
            break;
          }
        }
      }
      CountWaves<kSize>(warp, step, threads, CountParts<kSize>(lanes));
      resolved.at = warp.block->shared + first;
      return Layout::kUniform;
    }
    case Layout::kScattered: {
      FillAddresses(base, step->immediate, resolved.addresses);
      std::uint64_t outside = 0;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        std::uint64_t& offset = resolved.addresses[lane];
        offset = WithoutWindow<std::uint64_t>(offset, kSharedWindow);
        const bool bad = offset >= room || offset % kSize != 0;
        outside |= kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(bad) : 0;
        outside |= (kFull || ((lanes >> lane) & 1U) != 0) && kSize > room - offset ? 1U : 0U;
      }
      if (outside != 0) {
        return Layout::kSlow;
      }
      if (checked && !TouchSharedScattered<kSize, kKind>(toucher, resolved.addresses, lanes)) {
        return Layout::kSlow;
      }
      CountWaves<kSize>(warp, step, threads,
                        CountScatteredWaves<kSize, kKind>(warp, step, lanes, resolved.addresses));
      const auto host = reinterpret_cast<std::uint64_t>(warp.block->shared);
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const bool active = kFull || ((lanes >> lane) & 1U) != 0;
        resolved.addresses[lane] = (active ? resolved.addresses[lane] : first) + host;
      }
      return Layout::kScattered;
    }
    default:
      break;
  }
  FillAddresses(base, step->immediate, resolved.addresses);
  return Layout::kSlow;
}

/// The bits of the four bytes of each lane, as they lie in BlockShadow::local_written.
ASSAY_GPU_INLINE void LocalBits(LaneMask lanes, std::uint64_t* words) { ByteMask<4>(lanes, words); }

/// Local memory at one offset of every thread, whole words. `at` is where word 0 of lane 0 is; a
/// lane's next word is 128 bytes on.
template <std::uint32_t kSize, TouchKind kKind, bool kFull, class A>
[[gnu::noinline]] Layout ResolveLocal(Warp& warp, const Step* step, std::uint32_t base_operand,
                                      LaneMask lanes, Resolved& resolved) {
  const A* base = Lanes<A>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const std::uint64_t room = warp.launch->local_bytes;
  const std::uint64_t first = WithoutWindow<A>(
      static_cast<A>(base[leader] + static_cast<A>(step->immediate)), kLocalWindow);
  FillAddresses(base, step->immediate, resolved.addresses);
  if (kSize < 4 || first % kSize != 0 || first >= room || kSize > room - first ||
      !IsRun<0>(base, base[leader], lanes)) {
    return Layout::kSlow;
  }
  std::uint64_t bits[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  std::uint32_t sectors = 4;
  if constexpr (!kFull) {
    LocalBits(lanes, bits);
    sectors = 0;
    for (std::uint32_t s = 0; s < 4; ++s) {
      sectors += (lanes >> (8 * s) & 0xffU) != 0 ? 1U : 0U;
    }
  }
  if (warp.worker->checker != nullptr) {
    const auto* shadow = warp.block->shared_shadow;
    std::byte* written = shadow->local_written + warp.index * shadow->local_stride_bytes +
                         (first / 4) * (kWarpSize / 2);
    for (std::uint32_t word = 0; word < kSize / 4; ++word) {
      std::uint64_t was[2];
      std::memcpy(was, written + 16 * word, sizeof(was));
      if constexpr (kKind == TouchKind::kRead) {
        if (((bits[0] & ~was[0]) | (bits[1] & ~was[1])) != 0) {
          return Layout::kSlow;
        }
      } else {
        was[0] |= bits[0];
        was[1] |= bits[1];
        std::memcpy(written + 16 * word, was, sizeof(was));
      }
    }
  }
  CountSectors<kSize>(warp, step, kFull ? kWarpSize : CountLanes(lanes), sectors * (kSize / 4));
  resolved.at = warp.local + (first / 4) * (4 * kWarpSize);
  return Layout::kConsecutive;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SHARED_ACCESS_H_

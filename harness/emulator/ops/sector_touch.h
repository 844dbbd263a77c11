// SPDX-License-Identifier: Apache-2.0
// What an access to device memory leaves in the shadow of its sectors, where that is simple (what
// it leaves is said in memory/sector_state.h); and which bytes of which sectors lanes touch.
// Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_SECTOR_TOUCH_H_
#define ASSAY_EMULATOR_OPS_SECTOR_TOUCH_H_

#include <cstddef>
#include <cstdint>

#include "emulator/memory/global_memory.h"
#include "emulator/memory/sector_state.h"
#include "emulator/ops/lane_layout.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// What the shadow of device memory needs of an access.
struct Toucher {
  SectorRecord* sectors;
  std::uint8_t* pages;
  std::uint32_t* written;      ///< 32 bits of ArenaView::written_bits a sector.
  std::uint32_t* aside_sites;  ///< SectorAsides::sites.
  std::uint32_t tag;
  std::uint32_t site;     ///< Of lane 0.
  std::uint32_t settled;  ///< CheckerState::settled_readers.
  std::uint32_t settled_atomics;
};

ASSAY_GPU_INLINE Toucher MakeToucher(Warp& warp, const Step* step, const ArenaView& view,
                                     const CheckerState& state) {
  return {.sectors = state.sectors,
          .pages = state.touched_pages,
          .written = reinterpret_cast<std::uint32_t*>(
              __builtin_assume_aligned(view.written_bits, alignof(std::uint32_t))),
          .aside_sites = state.asides.sites,
          .tag = TagOf(static_cast<std::uint32_t>(warp.block->position)),
          .site = SiteOf(step->instruction, warp.index * kWarpSize),
          .settled = state.settled_readers,
          .settled_atomics = state.settled_atomics};
}

ASSAY_GPU_INLINE bool PageTouched(const Toucher& toucher, std::uint64_t sector) {
  return toucher.pages[sector >> (kShadowPageShift - 5)] != 0;
}

ASSAY_GPU_INLINE bool AllWritten(const Toucher& toucher, std::uint64_t sector, std::uint32_t mask) {
  return (__atomic_load_n(toucher.written + sector, __ATOMIC_RELAXED) & mask) == mask;
}

ASSAY_GPU_INLINE void SetWritten(const Toucher& toucher, std::uint64_t sector, std::uint32_t mask) {
  std::uint32_t* at = toucher.written + sector;
  if ((__atomic_load_n(at, __ATOMIC_RELAXED) & mask) == mask) {
    return;
  }
  if (mask == ~0U) {
    __atomic_store_n(at, mask, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
  }
}

/// Of a lane, to `mask` of a sector.
template <TouchKind kKind>
ASSAY_GPU_INLINE SectorAccess AccessBy(const Toucher& toucher, std::uint32_t lane,
                                       std::uint32_t mask) {
  return {.kind = kKind,
          .part = {.tag = toucher.tag, .bytes = mask, .site = toucher.site | lane << 1}};
}

/// As SectorShadow::Touch does, for the states that need no more than the record; false: it has to.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchOne(const Toucher& toucher, std::uint64_t sector, std::uint32_t mask,
                               std::uint32_t lane) {
  SectorRecord& record = toucher.sectors[sector];
  const SectorAccess access = AccessBy<kKind>(toucher, lane, mask);
  if (record.owner == OneBlocksOwner(kKind, toucher.tag)) {
    if constexpr (kKind == TouchKind::kWrite) {
      ExtendSecond(record, toucher.aside_sites[sector], access.part);
    } else {
      ExtendFirst(record, toucher.aside_sites[sector], access.part);
    }
    return true;
  }
  if (record.owner == 0) {
    if (!PageTouched(toucher, sector)) {
      return false;
    }
    record = FirstRecord(access);
    return true;
  }
  if constexpr (kKind == TouchKind::kRead) {
    return (record.owner & toucher.settled) != 0 && Covers(record.written, mask);
  } else if constexpr (kKind == TouchKind::kAtomic) {
    return (record.owner & kOwnerState) == toucher.settled_atomics &&
           Covers(record.read & record.written, mask);
  }
  return false;
}

#if defined(__AVX512F__)
// The words of four records that are one vector.
inline constexpr __mmask16 kOwnerWords = 0x1111;
inline constexpr __mmask16 kReadWords = 0x2222;
inline constexpr __mmask16 kWrittenWords = 0x4444;
inline constexpr __mmask16 kSiteWords = 0x8888;

/// Of four whole sectors, one after another; kLanesEach lanes touch each.
struct FourSectors {
  SectorRecord* at;
  std::uint32_t* aside_sites;
  __m512i records;  ///< As they are.
};

/// What sites have more than that of the first sector's first lane.
template <std::uint32_t kLanesEach>
ASSAY_GPU_INLINE __m512i SiteSteps() {
  constexpr int kStep = kLanesEach << 1;
  return _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, kStep, 0, 0, 0, 2 * kStep, 0, 0, 0, 3 * kStep);
}

/// FirstRecord of each.
template <std::uint32_t kLanesEach>
ASSAY_GPU_INLINE __m512i FirstRecords(const SectorAccess& access) {
  const SectorRecord first = FirstRecord(access);
  const __m128i record =
      _mm_setr_epi32(static_cast<int>(first.owner), static_cast<int>(first.read),
                     static_cast<int>(first.written), static_cast<int>(first.site));
  return _mm512_add_epi32(_mm512_broadcast_i32x4(record), SiteSteps<kLanesEach>());
}

/// Puts sites, of records, to where those of `which` have their asides.
ASSAY_GPU_INLINE void StoreAsides(const FourSectors& four, __m512i records, std::uint32_t which) {
  const __m512i sites = _mm512_maskz_compress_epi32(kSiteWords, records);
  _mm_mask_storeu_epi32(four.aside_sites, static_cast<__mmask8>(which),
                        _mm512_castsi512_si128(sites));
}

/// ExtendFirst of each, by all its bytes.
ASSAY_GPU_INLINE void ExtendFirsts(const FourSectors& four, __m512i sites) {
  const __m512i ones = _mm512_set1_epi32(-1);
  const __mmask16 full = _mm512_cmpeq_epi32_mask(four.records, ones);
  if ((full & kReadWords) == kReadWords) {
    return;
  }
  const __mmask16 none =
      _mm512_mask_cmpeq_epi32_mask(kReadWords, four.records, _mm512_setzero_si512());
  if (none != 0) {
    StoreAsides(four, sites, _pext_u32(none, kReadWords));
  }
  __m512i joined = _mm512_mask_mov_epi32(four.records, kReadWords, ones);
  const auto cold = static_cast<__mmask16>((~full & kWrittenWords) << 1);
  joined = _mm512_mask_or_epi32(joined, cold, joined, _mm512_set1_epi32(kColdSector));
  _mm512_storeu_si512(four.at, joined);
}

/// ExtendSecond of each, by all its bytes.
ASSAY_GPU_INLINE void ExtendSeconds(const FourSectors& four, __m512i sites) {
  const __m512i ones = _mm512_set1_epi32(-1);
  if (_mm512_mask_cmpeq_epi32_mask(kWrittenWords, four.records, ones) == kWrittenWords) {
    return;
  }
  const __mmask16 fresh =
      _mm512_mask_cmpeq_epi32_mask(kWrittenWords, four.records, _mm512_setzero_si512());
  if (fresh != 0) {
    StoreAsides(four, four.records, _pext_u32(fresh, kWrittenWords));
  }
  const __m512i cold = _mm512_and_si512(four.records, _mm512_set1_epi32(kColdSector));
  __m512i joined = _mm512_mask_mov_epi32(four.records, kWrittenWords, ones);
  joined = _mm512_mask_or_epi32(joined, static_cast<__mmask16>(fresh << 1), sites, cold);
  _mm512_storeu_si512(four.at, joined);
}

/// TouchOne of four whole sectors at once, kLanesEach lanes to a sector. Of reads and writes.
template <TouchKind kKind, std::uint32_t kLanesEach>
ASSAY_GPU_INLINE bool TouchFour(const Toucher& toucher, std::uint64_t sector, std::uint32_t lane) {
  static_assert(kKind == TouchKind::kRead || kKind == TouchKind::kWrite);
  const FourSectors four{.at = toucher.sectors + sector,
                         .aside_sites = toucher.aside_sites + sector,
                         .records = _mm512_loadu_si512(toucher.sectors + sector)};
  const SectorAccess access = AccessBy<kKind>(toucher, lane, ~0U);
  const auto owner = static_cast<int>(OneBlocksOwner(kKind, toucher.tag));
  if (_mm512_mask_cmpeq_epi32_mask(kOwnerWords, four.records, _mm512_set1_epi32(owner)) ==
      kOwnerWords) {
    const __m512i site = _mm512_maskz_set1_epi32(kSiteWords, static_cast<int>(access.part.site));
    const __m512i sites = _mm512_add_epi32(site, SiteSteps<kLanesEach>());
    kKind == TouchKind::kRead ? ExtendFirsts(four, sites) : ExtendSeconds(four, sites);
    return true;
  }
  if (_mm512_mask_test_epi32_mask(kOwnerWords, four.records, four.records) == 0) {
    if (!PageTouched(toucher, sector) || !PageTouched(toucher, sector + 3)) {
      return false;
    }
    _mm512_storeu_si512(four.at, FirstRecords<kLanesEach>(access));
    return true;
  }
  if constexpr (kKind == TouchKind::kRead) {
    const __mmask16 settled = _mm512_mask_test_epi32_mask(
        kOwnerWords, four.records, _mm512_set1_epi32(static_cast<int>(toucher.settled)));
    const __mmask16 full =
        _mm512_mask_cmpeq_epi32_mask(kWrittenWords, four.records, _mm512_set1_epi32(-1));
    return settled == kOwnerWords && full == kWrittenWords;
  }
  return false;
}
#endif

/// Bytes of the lanes: bit b of word b / 64 is byte b of the 32 * kSize consecutive ones.
template <std::uint32_t kSize>
ASSAY_GPU_INLINE void ByteMask(LaneMask lanes, std::uint64_t* words) {
  constexpr std::uint32_t kLanesEach = 64 / kSize;  // A word's.
  constexpr std::uint64_t kOne = kSize == 16 ? 0xffff : (std::uint64_t{1} << kSize) - 1;
  if constexpr (kSize == 1) {
    words[0] = lanes;
  } else {
    for (std::uint32_t word = 0; word < kSize / 2; ++word) {
      const std::uint32_t part = lanes >> (word * kLanesEach % 32);
      std::uint64_t bytes = 0;
      for (std::uint32_t lane = 0; lane < kLanesEach; ++lane) {
        bytes |= ((part >> lane) & 1U) != 0 ? kOne << (lane * kSize) : 0;
      }
      words[word] = bytes;
    }
  }
}

/// The byte masks of the sectors from the one that holds the first of 32 * kSize consecutive bytes,
/// `phase` bytes into it. Returns how many there are to look at; some may be 0.
template <std::uint32_t kSize>
ASSAY_GPU_INLINE std::uint32_t SectorMasks(LaneMask lanes, std::uint32_t phase,
                                           std::uint32_t* masks) {
  constexpr std::uint32_t kWords = kSize == 1 ? 1 : kSize / 2;
  std::uint64_t words[kWords];
  ByteMask<kSize>(lanes, words);
  std::uint64_t carry = 0;
  for (std::uint32_t word = 0; word < kWords; ++word) {
    const std::uint64_t shifted = words[word] << phase | carry;
    carry = phase == 0 ? 0 : words[word] >> (64 - phase);
    masks[2 * word] = static_cast<std::uint32_t>(shifted);
    masks[2 * word + 1] = static_cast<std::uint32_t>(shifted >> 32);
  }
  masks[2 * kWords] = static_cast<std::uint32_t>(carry);
  return 2 * kWords + 1;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SECTOR_TOUCH_H_

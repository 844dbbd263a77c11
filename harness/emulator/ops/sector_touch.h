// SPDX-License-Identifier: Apache-2.0
// What an access to device memory leaves in the shadow of its sectors, where that is simple; and
// which bytes of which sectors lanes touch. Included only by the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_SECTOR_TOUCH_H_
#define ASSAY_EMULATOR_OPS_SECTOR_TOUCH_H_

#include <cstddef>
#include <cstdint>

#include "emulator/memory/global_memory.h"
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
  const auto position = static_cast<std::uint32_t>(warp.block->position);
  const std::uint32_t tag = (position + 1) & kOwnerTag;
  return {.sectors = state.sectors,
          .pages = state.touched_pages,
          .written = reinterpret_cast<std::uint32_t*>(
              __builtin_assume_aligned(view.written_bits, alignof(std::uint32_t))),
          .aside_sites = state.asides.sites,
          .tag = tag == 0 ? 1 : tag,
          .site = step->instruction << 11 | (warp.index & 31U) << 6,
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

/// As SectorShadow::Touch does, for the states that need no more than the record; false: it has to.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchOne(const Toucher& toucher, std::uint64_t sector, std::uint32_t mask,
                               std::uint32_t lane) {
  SectorRecord& record = toucher.sectors[sector];
  const std::uint32_t site = toucher.site | lane << 1;
  constexpr std::uint32_t kState = kKind == TouchKind::kAtomic ? kAtomicOnly : kExclusive;
  if (record.owner == (toucher.tag | kState)) {
    if constexpr (kKind == TouchKind::kRead) {
      const std::uint32_t fresh = mask & ~record.read;
      if (fresh != 0) {
        if (record.read == 0) {
          toucher.aside_sites[sector] = site;
        }
        record.site |= (fresh & ~record.written) != 0 ? kColdSector : 0;
        record.read |= mask;
      }
    } else if constexpr (kKind == TouchKind::kWrite) {
      if (record.written == 0) {
        toucher.aside_sites[sector] = record.site;
        record.site = site | (record.site & kColdSector);
      }
      record.written |= mask;
    } else {
      record.read |= mask;
    }
    return true;
  }
  if (record.owner == 0) {
    if (!PageTouched(toucher, sector)) {
      return false;
    }
    constexpr bool kWrite = kKind == TouchKind::kWrite;
    record = {.owner = toucher.tag | kState,
              .read = kWrite ? 0 : mask,
              .written = kWrite ? mask : 0,
              .site = site | (kWrite ? 0 : kColdSector)};
    return true;
  }
  if constexpr (kKind == TouchKind::kRead) {
    return (record.owner & toucher.settled) != 0 && (mask & ~record.written) == 0;
  } else if constexpr (kKind == TouchKind::kAtomic) {
    return (record.owner & kOwnerState) == toucher.settled_atomics &&
           (mask & ~(record.read & record.written)) == 0;
  }
  return false;
}

#if defined(__AVX512F__)
/// The sites of four records to where those of `which` have their asides.
ASSAY_GPU_INLINE void StoreAsides(std::uint32_t* at, __m512i records, std::uint32_t which) {
  const __m512i sites = _mm512_maskz_compress_epi32(0x8888, records);
  _mm_mask_storeu_epi32(at, static_cast<__mmask8>(which), _mm512_castsi512_si128(sites));
}

/// TouchOne of four whole sectors at once, `lanes_each` lanes to a sector.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool TouchFour(const Toucher& toucher, std::uint64_t sector, std::uint32_t lane,
                                std::uint32_t lanes_each) {
  constexpr __mmask16 kOwner = 0x1111, kRead = 0x2222, kWritten = 0x4444, kSite = 0x8888;
  SectorRecord* at = toucher.sectors + sector;
  const __m512i records = _mm512_loadu_si512(at);
  const __m512i ones = _mm512_set1_epi32(-1);
  const __m512i tags = _mm512_set1_epi32(static_cast<int>(toucher.tag));
  const __mmask16 full = _mm512_cmpeq_epi32_mask(records, ones);
  const auto site = static_cast<int>(toucher.site | lane << 1);
  const auto step = static_cast<int>(lanes_each << 1);
  const __m512i sites = _mm512_setr_epi32(0, 0, 0, site, 0, 0, 0, site + step, 0, 0, 0,
                                          site + 2 * step, 0, 0, 0, site + 3 * step);
  if (_mm512_mask_cmpeq_epi32_mask(kOwner, records, tags) == kOwner) {
    if constexpr (kKind == TouchKind::kRead) {
      if ((full & kRead) == kRead) {
        return true;
      }
      const __mmask16 none = _mm512_mask_cmpeq_epi32_mask(kRead, records, _mm512_setzero_si512());
      if (none != 0) {
        StoreAsides(toucher.aside_sites + sector, sites, _pext_u32(none, kRead));
      }
      __m512i joined = _mm512_mask_mov_epi32(records, kRead, ones);
      const auto cold = static_cast<__mmask16>((~full & kWritten) << 1);
      joined = _mm512_mask_or_epi32(joined, cold, joined, _mm512_set1_epi32(kColdSector));
      _mm512_storeu_si512(at, joined);
    } else {
      if ((full & kWritten) == kWritten) {
        return true;
      }
      const __mmask16 fresh =
          _mm512_mask_cmpeq_epi32_mask(kWritten, records, _mm512_setzero_si512());
      if (fresh != 0) {
        StoreAsides(toucher.aside_sites + sector, records, _pext_u32(fresh, kWritten));
      }
      const __m512i cold = _mm512_and_si512(records, _mm512_set1_epi32(kColdSector));
      __m512i joined = _mm512_mask_mov_epi32(records, kWritten, ones);
      joined = _mm512_mask_or_epi32(joined, static_cast<__mmask16>(fresh << 1), sites, cold);
      _mm512_storeu_si512(at, joined);
    }
    return true;
  }
  if (_mm512_mask_test_epi32_mask(kOwner, records, records) == 0) {
    if (!PageTouched(toucher, sector) || !PageTouched(toucher, sector + 3)) {
      return false;
    }
    __m512i fresh = _mm512_mask_mov_epi32(sites, kOwner, tags);
    if constexpr (kKind == TouchKind::kRead) {
      fresh = _mm512_mask_mov_epi32(fresh, kRead, ones);
      fresh = _mm512_mask_or_epi32(fresh, kSite, fresh, _mm512_set1_epi32(kColdSector));
    } else {
      fresh = _mm512_mask_mov_epi32(fresh, kWritten, ones);
    }
    _mm512_storeu_si512(at, fresh);
    return true;
  }
  if constexpr (kKind == TouchKind::kRead) {
    const __mmask16 many = _mm512_mask_test_epi32_mask(
        kOwner, records, _mm512_set1_epi32(static_cast<int>(toucher.settled)));
    return many == kOwner && (full & kWritten) == kWritten;
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

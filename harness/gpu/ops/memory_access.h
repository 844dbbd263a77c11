// SPDX-License-Identifier: Apache-2.0
// The quick ways of memory instructions: lanes on consecutive addresses, on one address, or
// anywhere inside one allocation, with all checks and counters of memory/access.h. A resolver
// either does all of that and says where the lanes' bytes are, or has changed nothing and leaves
// the instruction to PerformLanes.
#ifndef ASSAY_GPU_OPS_MEMORY_ACCESS_H_
#define ASSAY_GPU_OPS_MEMORY_ACCESS_H_

#include <cstring>

#include "gpu/memory/access.h"
#include "gpu/memory/global_memory.h"
#include "gpu/memory/l2_cache.h"
#include "gpu/memory/shared_shadow.h"
#include "gpu/ops/lanes.h"

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined lanes of its own intrinsics for uninitialised (PR 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace assay::gpu::ASSAY_GPU_ISA {

enum class Layout : std::uint8_t { kSlow, kConsecutive, kUniform, kScattered };

/// Where the bytes of a request are on the host.
struct Resolved {
  std::byte* at;  ///< kUniform; kConsecutive: of lane 0, which may be inactive.
  /// kScattered: host addresses (those of inactive lanes may be read too). kSlow: what PerformLanes
  /// takes.
  alignas(64) std::uint64_t addresses[kWarpSize];
};

ASSAY_GPU_INLINE std::uint32_t OperandOffset(const Step* step, std::uint32_t index) {
  return step->operands != nullptr ? step->operands[index] : step->operand[index];
}

ASSAY_GPU_INLINE std::uint32_t CountLanes(LaneMask lanes) {
  return static_cast<std::uint32_t>(__builtin_popcount(lanes));
}
ASSAY_GPU_INLINE std::uint32_t FirstLane(LaneMask lanes) {
  return static_cast<std::uint32_t>(__builtin_ctz(lanes));
}
ASSAY_GPU_INLINE std::uint32_t LastLane(LaneMask lanes) {
  return 31U - static_cast<std::uint32_t>(__builtin_clz(lanes));
}

/// Whether base[l] == start + l * stride for all `lanes`.
template <std::uint32_t kStride, class A>
ASSAY_GPU_INLINE bool IsRun(const A* base, A start, LaneMask lanes) {
#if defined(__AVX512F__)
  if constexpr (sizeof(A) == 8) {
    const __m512i iota = _mm512_setr_epi64(0, kStride, 2 * kStride, 3 * kStride, 4 * kStride,
                                           5 * kStride, 6 * kStride, 7 * kStride);
    const __m512i begin = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(start)), iota);
    unsigned other = 0;
    for (int part = 0; part < 4; ++part) {
      const __m512i expected =
          _mm512_add_epi64(begin, _mm512_set1_epi64(part * 8 * static_cast<int>(kStride)));
      other |= _mm512_mask_cmpneq_epu64_mask(static_cast<__mmask8>(lanes >> (8 * part)),
                                             _mm512_load_si512(base + 8 * part), expected);
    }
    return other == 0;
  } else {
    const __m512i iota =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(static_cast<int>(kStride)));
    const __m512i begin = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(start)), iota);
    unsigned other = 0;
    for (int part = 0; part < 2; ++part) {
      const __m512i expected =
          _mm512_add_epi32(begin, _mm512_set1_epi32(part * 16 * static_cast<int>(kStride)));
      other |= _mm512_mask_cmpneq_epu32_mask(static_cast<__mmask16>(lanes >> (16 * part)),
                                             _mm512_load_si512(base + 16 * part), expected);
    }
    return other == 0;
  }
#else
  A other = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const A difference = base[lane] ^ static_cast<A>(start + lane * kStride);
    other |= ((lanes >> lane) & 1U) != 0 ? difference : 0;
  }
  return other == 0;
#endif
}

template <std::uint32_t kSize, class A>
ASSAY_GPU_INLINE Layout LayoutOf(const A* base, LaneMask lanes, std::uint32_t leader) {
  const A first = base[leader];
  if ((lanes & (lanes - 1)) == 0) {
    return Layout::kUniform;
  }
  const std::uint32_t next = FirstLane(lanes & (lanes - 1));
  if (base[next] == first) {
    return IsRun<0>(base, first, lanes) ? Layout::kUniform : Layout::kScattered;
  }
  const A start = static_cast<A>(first - leader * kSize);
  return IsRun<kSize>(base, start, lanes) ? Layout::kConsecutive : Layout::kScattered;
}

/// Addresses of 64 bits; a base of 32 bits wraps in 32.
template <class A>
ASSAY_GPU_INLINE void FillAddresses(const A* base, std::uint64_t immediate, std::uint64_t* out) {
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    out[lane] = static_cast<A>(base[lane] + static_cast<A>(immediate));
  }
}

template <std::uint32_t kSize>
ASSAY_GPU_INLINE void CountSectors(Warp& warp, const Step* step, std::uint32_t threads,
                                   std::uint32_t sectors) {
  AccessCounters& counters = warp.worker->accesses.data()[step->instruction];
  const std::uint32_t packed = (threads * kSize + kSectorBytes - 1) / kSectorBytes;
  counters.requests += 1;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * kSize;
  counters.sectors += sectors;
  counters.ideal_sectors += packed < sectors ? packed : sectors;
}

template <std::uint32_t kSize>
ASSAY_GPU_INLINE void CountWaves(Warp& warp, const Step* step, std::uint32_t threads,
                                 std::uint32_t wavefronts) {
  AccessCounters& counters = warp.worker->accesses.data()[step->instruction];
  const std::uint32_t packed = (threads * kSize + 127) / 128;
  counters.requests += 1;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * kSize;
  counters.wavefronts += wavefronts;
  counters.ideal_wavefronts += packed < wavefronts ? packed : wavefronts;
}

// ------------------------------------------------------------------ sectors of device memory

/// What the shadow of device memory needs of an access.
struct Toucher {
  SectorRecord* sectors;
  std::uint8_t* pages;
  std::uint32_t* written;  ///< 32 bits of ArenaView::written_bits a sector.
  std::uint32_t tag;
  std::uint32_t site;  ///< Of lane 0.
};

ASSAY_GPU_INLINE Toucher MakeToucher(Warp& warp, const Step* step, const ArenaView& view,
                                     const CheckerState& state) {
  const auto position = static_cast<std::uint32_t>(warp.block->position);
  const std::uint32_t tag = (position + 1) & kOwnerTag;
  return {.sectors = state.sectors,
          .pages = state.touched_pages,
          .written = reinterpret_cast<std::uint32_t*>(
              __builtin_assume_aligned(view.written_bits, alignof(std::uint32_t))),
          .tag = tag == 0 ? 1 : tag,
          .site = step->instruction << 11 | (warp.index & 31U) << 6};
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
        record.site |= (fresh & ~record.written) != 0 ? kColdSector : 0;
        record.read |= mask;
      }
    } else if constexpr (kKind == TouchKind::kWrite) {
      if (record.written == 0) {
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
    return (record.owner & kOwnerState) == kManyReaders && (mask & ~record.written) == 0;
  } else if constexpr (kKind == TouchKind::kAtomic) {
    return (record.owner & kOwnerState) == kAtomicOnly &&
           (mask & ~(record.read & record.written)) == 0;
  }
  return false;
}

#if defined(__AVX512F__)
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
    const __m512i state =
        _mm512_and_si512(records, _mm512_set1_epi32(static_cast<int>(kOwnerState)));
    const __mmask16 many = _mm512_mask_cmpeq_epi32_mask(
        kOwner, state, _mm512_set1_epi32(static_cast<int>(kManyReaders)));
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

/// Bounds that the instruction's addresses are held against, and where they lead.
struct Bounds {
  std::uint64_t begin;
  std::uint64_t size_bytes;
};

ASSAY_GPU_INLINE bool Inside(const Bounds& bounds, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = address - bounds.begin;
  return offset < bounds.size_bytes && bytes <= bounds.size_bytes - offset;
}

struct GlobalRequest {
  Warp& warp;
  const Step* step;
  LaneMask lanes;
  const ArenaView& view;
  MemoryChecker* checker;  ///< Null: checks are off.
};

enum class Trace : std::uint8_t { kNo, kYes };

/// What the quick ways could not do of the checks, by the thorough ones.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] void CheckThoroughly(const GlobalRequest& request, const std::uint64_t* addresses,
                                       bool contents, Trace trace) {
  const MemoryAccess access{.warp = &request.warp,
                            .step = request.step,
                            .lanes = request.lanes,
                            .addresses = addresses,
                            .size_bytes = kSize,
                            .space = MemorySpace::kGlobal,
                            .kind = kKind,
                            .values = nullptr};
  if (contents) {
    if constexpr (kKind != TouchKind::kWrite) {
      CheckWritten(access);
    }
    if constexpr (kKind != TouchKind::kRead) {
      MarkWritten(access);
    }
    TouchSectors(access);
  }
  if (trace == Trace::kYes) {
    TraceSectors(access);
  }
}

/// L2 requests for sectors from `first` on: bit s of `sectors` for the s-th.
template <TouchKind kKind>
ASSAY_GPU_INLINE void TraceRun(Warp& warp, std::uint64_t first, std::uint64_t sectors) {
  constexpr std::uint64_t kFlags = kKind == TouchKind::kRead    ? kL2Read
                                   : kKind == TouchKind::kWrite ? kL2Write
                                                                : kL2Read | kL2Write;
  auto* shadow = static_cast<BlockShadow*>(warp.block->shared_shadow);
  if (shadow->trace_end - shadow->trace_at < static_cast<std::ptrdiff_t>(kMaxTraced)) {
    FlushTrace(warp);
  }
  const std::uint64_t skip = warp.worker->checker->state.l2_skip_mask;
  std::uint64_t* at = shadow->trace_at;
  std::uint64_t line = first / 4;
  for (std::uint64_t left = sectors << (first % 4); left != 0; left >>= 4, ++line) {
    *at = line << kL2LineShift | (left & 15U) << kL2SectorShift | kFlags;
    at += (left & 15U) != 0 && (L2LineChoice(line) & skip) == 0 ? 1 : 0;
  }
  shadow->trace_at = at;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckConsecutive(const GlobalRequest& request, std::uint64_t start,
                                       const std::uint32_t* masks, std::uint32_t sectors) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  const std::uint64_t first = (start - request.view.begin) / kSectorBytes;
  const std::uint32_t phase = start % kSectorBytes;
  bool done = true;
  std::uint64_t touched = 0;
  for (std::uint32_t s = 0; s < sectors; ++s) {
    const std::uint32_t mask = masks[s];
    if (mask == 0) {
      continue;
    }
    touched |= std::uint64_t{1} << s;
    const std::uint32_t byte = s * kSectorBytes + static_cast<std::uint32_t>(__builtin_ctz(mask));
    if constexpr (kKind != TouchKind::kWrite) {
      done &= AllWritten(toucher, first + s, mask);
    }
    if constexpr (kKind != TouchKind::kRead) {
      SetWritten(toucher, first + s, mask);
    }
    done &= TouchOne<kKind>(toucher, first + s, mask, (byte - phase) / kSize);
  }
  if (state.trace_l2) {
    TraceRun<kKind>(request.warp, first, touched);
  }
  if (!done) [[unlikely]] {
    alignas(64) std::uint64_t addresses[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      addresses[lane] = start + lane * kSize;
    }
    CheckThoroughly<kSize, kKind>(request, addresses, true, Trace::kNo);
  }
}

#if defined(__AVX512F__)
/// All 32 lanes, from the start of a sector on.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckWholeSectors(const GlobalRequest& request, std::uint64_t start) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  const std::uint64_t first = (start - request.view.begin) / kSectorBytes;
  constexpr std::uint32_t kLanesEach = kSectorBytes / kSize;
  bool done = true;
  for (std::uint32_t s = 0; s < kSize; s += 4) {
    auto* written = reinterpret_cast<__m128i*>(toucher.written + first + s);
    const __m128i bits = _mm_loadu_si128(written);
    const bool all = _mm_test_all_ones(bits) != 0;
    if constexpr (kKind == TouchKind::kRead) {
      done &= all;
    } else if (!all) {
      _mm_storeu_si128(written, _mm_set1_epi32(-1));
    }
    done &= TouchFour<kKind>(toucher, first + s, s * kLanesEach, kLanesEach);
  }
  if (state.trace_l2) {
    TraceRun<kKind>(request.warp, first, (std::uint64_t{1} << kSize) - 1);
  }
  if (!done) [[unlikely]] {
    alignas(64) std::uint64_t addresses[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      addresses[lane] = start + lane * kSize;
    }
    CheckThoroughly<kSize, kKind>(request, addresses, true, Trace::kNo);
  }
}
#endif

/// Sectors of lanes that lie anyhow, by what it was when they lay so before.
template <std::uint32_t kSize, TouchKind kKind>
[[gnu::noinline]] std::uint32_t CountScattered(const GlobalRequest& request,
                                               const std::uint64_t* addresses) {
  const std::uint64_t first = addresses[FirstLane(request.lanes)];
  PatternCache* pattern = nullptr;
  alignas(64) std::uint32_t relative[kWarpSize];
  if (request.checker != nullptr) {
    pattern = request.checker->state.patterns + request.step->instruction;
    std::uint32_t other = pattern->lanes ^ request.lanes;
    other |= pattern->phase ^ static_cast<std::uint32_t>(first % kSectorBytes);
    std::uint64_t high = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool active = ((request.lanes >> lane) & 1U) != 0;
      const std::uint64_t distance = addresses[lane] - first + 0x80000000U;
      high |= active ? distance >> 32 : 0;
      relative[lane] = active ? static_cast<std::uint32_t>(distance) : 0;
      other |= relative[lane] ^ pattern->relative[lane];
    }
    if (high != 0) {
      pattern = nullptr;
    } else if (other == 0) {
      return pattern->count;
    }
  }
  const MemoryAccess access{.warp = &request.warp,
                            .step = request.step,
                            .lanes = request.lanes,
                            .addresses = addresses,
                            .size_bytes = kSize,
                            .space = MemorySpace::kGlobal,
                            .kind = kKind,
                            .values = nullptr};
  const std::uint32_t count = CountRequest(access).count;
  if (pattern != nullptr) {
    std::memcpy(pattern->relative.data(), relative, sizeof(relative));
    pattern->lanes = request.lanes;
    pattern->phase = first % kSectorBytes;
    pattern->count = count;
  }
  return count;
}

template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE void CheckScattered(const GlobalRequest& request, const std::uint64_t* addresses) {
  const CheckerState& state = request.checker->state;
  const Toucher toucher = MakeToucher(request.warp, request.step, request.view, state);
  bool done = true;
  for (LaneMask left = request.lanes; left != 0; left &= left - 1) {
    const std::uint32_t lane = FirstLane(left);
    const std::uint64_t offset = addresses[lane] - request.view.begin;
    const std::uint64_t sector = offset / kSectorBytes;
    const std::uint32_t mask = ((1U << kSize) - 1U) << (offset % kSectorBytes);
    if constexpr (kKind != TouchKind::kWrite) {
      done &= AllWritten(toucher, sector, mask);
    }
    if constexpr (kKind != TouchKind::kRead) {
      SetWritten(toucher, sector, mask);
    }
    done &= TouchOne<kKind>(toucher, sector, mask, lane);
  }
  if (!done || state.trace_l2) [[unlikely]] {
    CheckThoroughly<kSize, kKind>(request, addresses, !done,
                                  state.trace_l2 ? Trace::kYes : Trace::kNo);
  }
}

ASSAY_GPU_INLINE Bounds BoundsOf(const GlobalRequest& request) {
  if (request.checker == nullptr) {
    return {.begin = request.view.begin, .size_bytes = request.view.mapped_bytes};
  }
  const SiteCache& site = request.checker->state.sites[request.step->instruction];
  return {.begin = site.begin, .size_bytes = site.size_bytes};
}

/// Whether other blocks may take the access for a signal: after a fence, an atomic or one thread's
/// write is; and once there was one, an atomic may hear it.
template <TouchKind kKind>
ASSAY_GPU_INLINE bool Orders(const GlobalRequest& request, std::uint32_t threads) {
  const CheckerState& state = request.checker->state;
  if (!state.sequential) {
    return false;
  }
  const bool fenced = static_cast<const BlockShadow*>(request.warp.block->shared_shadow)->fenced;
  return kKind == TouchKind::kAtomic ? fenced || state.released : fenced && threads == 1;
}

/// Global and generic addresses. kTouch: not of constants, whose cache is another.
template <std::uint32_t kSize, TouchKind kKind, bool kFull, bool kTouch>
[[gnu::noinline]] Layout ResolveGlobal(Warp& warp, const Step* step, std::uint32_t base_operand,
                                       LaneMask lanes, Resolved& resolved) {
  const auto* base = Lanes<std::uint64_t>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const GlobalRequest request{.warp = warp,
                              .step = step,
                              .lanes = lanes,
                              .view = warp.launch->memory->view(),
                              .checker = warp.worker->checker};
  const Bounds bounds = BoundsOf(request);
  const std::uint64_t first = base[leader] + step->immediate;
  const std::uint32_t threads = kFull ? kWarpSize : CountLanes(lanes);
  const bool checked = request.checker != nullptr && kTouch;
  // What lets other blocks know must pass SectorShadow.
  const bool alone = kKind != TouchKind::kRead && checked && Orders<kKind>(request, threads);
  const Layout layout = alone ? Layout::kSlow : LayoutOf<kSize>(base, lanes, leader);
  switch (layout) {
    case Layout::kConsecutive: {
      const std::uint32_t last = kFull ? kWarpSize - 1 : LastLane(lanes);
      if (first % kSize != 0 || !Inside(bounds, first, (last - leader + 1) * kSize)) {
        break;
      }
      const std::uint64_t start = first - leader * kSize;
      const std::uint32_t phase = start % kSectorBytes;
      resolved.at = request.view.host + (start - request.view.begin);
      if constexpr (kFull) {
        CountSectors<kSize>(warp, step, threads,
                            (phase + kWarpSize * kSize + kSectorBytes - 1) / kSectorBytes);
        if (!checked) {
          return layout;
        }
#if defined(__AVX512F__)
        if constexpr (kSize >= 4 && kKind != TouchKind::kAtomic) {
          if (phase == 0) {
            CheckWholeSectors<kSize, kKind>(request, start);
            return layout;
          }
        }
#endif
      }
      std::uint32_t masks[kSize == 1 ? 3 : kSize + 1];
      const std::uint32_t sectors = SectorMasks<kSize>(lanes, phase, masks);
      if constexpr (!kFull) {
        std::uint32_t touched = 0;
        for (std::uint32_t s = 0; s < sectors; ++s) {
          touched += masks[s] != 0 ? 1 : 0;
        }
        CountSectors<kSize>(warp, step, threads, touched);
      }
      if (checked) {
        CheckConsecutive<kSize, kKind>(request, start, masks, sectors);
      }
      return layout;
    }
    case Layout::kUniform: {
      if (first % kSize != 0 || !Inside(bounds, first, kSize)) {
        break;
      }
      const std::uint64_t offset = first - request.view.begin;
      resolved.at = request.view.host + offset;
      CountSectors<kSize>(warp, step, threads, 1);
      if (!checked) {
        return layout;
      }
      const CheckerState& state = request.checker->state;
      const Toucher toucher = MakeToucher(warp, step, request.view, state);
      const std::uint64_t sector = offset / kSectorBytes;
      const std::uint32_t mask = ((1U << kSize) - 1U) << (offset % kSectorBytes);
      bool done = true;
      if constexpr (kKind != TouchKind::kWrite) {
        done &= AllWritten(toucher, sector, mask);
      }
      if constexpr (kKind != TouchKind::kRead) {
        SetWritten(toucher, sector, mask);
      }
      done &= TouchOne<kKind>(toucher, sector, mask, leader);
      if (state.trace_l2) {
        TraceRun<kKind>(warp, sector, 1);
      }
      if (!done) [[unlikely]] {
        for (std::uint64_t& address : resolved.addresses) {
          address = first;
        }
        // One lane stands for all that read the same bytes, unless each has to be told of.
        const bool one_is_all = kKind == TouchKind::kRead && AllWritten(toucher, sector, mask);
        const GlobalRequest told{.warp = request.warp,
                                 .step = request.step,
                                 .lanes = one_is_all ? LaneMask{1} << leader : request.lanes,
                                 .view = request.view,
                                 .checker = request.checker};
        CheckThoroughly<kSize, kKind>(told, resolved.addresses, true, Trace::kNo);
      }
      return layout;
    }
    case Layout::kScattered: {
      FillAddresses(base, step->immediate, resolved.addresses);
      std::uint64_t outside = 0;
      const std::uint64_t room = bounds.size_bytes - kSize;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t offset = resolved.addresses[lane] - bounds.begin;
        const bool bad = offset > room || resolved.addresses[lane] % kSize != 0;
        outside |= kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<std::uint64_t>(bad) : 0;
      }
      if (outside != 0 || bounds.size_bytes < kSize) {
        return Layout::kSlow;
      }
      CountSectors<kSize>(warp, step, threads,
                          CountScattered<kSize, kKind>(request, resolved.addresses));
      if (checked) {
        CheckScattered<kSize, kKind>(request, resolved.addresses);
      }
      const auto host = reinterpret_cast<std::uint64_t>(request.view.host) - request.view.begin;
      const std::uint64_t spare = first + host;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const bool active = kFull || ((lanes >> lane) & 1U) != 0;
        resolved.addresses[lane] = active ? resolved.addresses[lane] + host : spare;
      }
      return layout;
    }
    default:
      break;
  }
  FillAddresses(base, step->immediate, resolved.addresses);
  return Layout::kSlow;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_GPU_OPS_MEMORY_ACCESS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_TILES_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_TILES_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "baseline_list.cuh"

// A part of a row as tiles, eight elements a thread: 16-byte loads between the first and the last
// address that is a multiple of 16, and single elements before and behind. Tiles are in the order
// of the row, so that what a later tile holds has the higher indices.

namespace assay::softmax_topk_baseline {

/// Elements of a thread in a tile.
inline constexpr std::uint32_t kThreadElements = 8;

/// How logits of a type lie in a 32-bit word.
template <typename T>
struct Logits;

template <>
struct Logits<float> {
  static constexpr std::uint32_t kNegativeInfinities = kNegativeInfinityBits;
  static constexpr std::uint32_t kPerWord = 1;
  __device__ static std::uint32_t Bits(float logit) { return __float_as_uint(logit); }
  __device__ static float FromWord(std::uint32_t word, std::uint32_t /*place*/) {
    return __uint_as_float(word);
  }
};

/// `T` is __half or __nv_bfloat16. The conversion to float is exact.
template <typename T>
struct SixteenBitLogits {
  static constexpr std::uint32_t kPerWord = 2;
  __device__ static float FromWord(std::uint32_t word, std::uint32_t place) {
    const auto bits = static_cast<std::uint16_t>(word >> (16 * place));
    if constexpr (std::is_same_v<T, __half>) {
      return __half2float(__ushort_as_half(bits));
    } else {
      return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
    }
  }
};

template <>
struct Logits<__half> : SixteenBitLogits<__half> {
  static constexpr std::uint32_t kNegativeInfinities = 0xFC00'FC00;
  __device__ static std::uint32_t Bits(__half logit) {
    return (kNegativeInfinities & 0xFFFF'0000) | __half_as_ushort(logit);
  }
};

template <>
struct Logits<__nv_bfloat16> : SixteenBitLogits<__nv_bfloat16> {
  static constexpr std::uint32_t kNegativeInfinities = 0xFF80'FF80;
  __device__ static std::uint32_t Bits(__nv_bfloat16 logit) {
    return (kNegativeInfinities & 0xFFFF'0000) | __bfloat16_as_ushort(logit);
  }
};

/// What a thread holds of a tile.
template <typename T>
struct Tile {
  static constexpr std::uint32_t kVectorElements = 16 / sizeof(T);
  static constexpr std::uint32_t kVectors = kThreadElements / kVectorElements;
  uint4 words[kVectors];      ///< Elements that are not there are -infinity.
  std::uint32_t first_index;  ///< Of element 0, in the row.
  std::uint32_t valid;        ///< A bit an element.

  __device__ float operator[](std::uint32_t element) const {
    constexpr std::uint32_t kPerWord = Logits<T>::kPerWord;
    const uint4& vector = words[element / kVectorElements];
    const std::uint32_t in_vector = element % kVectorElements;
    const std::uint32_t word = in_vector / kPerWord;
    return Logits<T>::FromWord(word == 0   ? vector.x
                               : word == 1 ? vector.y
                               : word == 2 ? vector.z
                                           : vector.w,
                               in_vector % kPerWord);
  }

  /// The same, where `element` is known only when the kernel runs.
  __device__ float At(std::uint32_t element) const {
    float found = (*this)[0];
#pragma unroll
    for (std::uint32_t j = 1; j < kThreadElements; ++j) {
      found = j == element ? (*this)[j] : found;
    }
    return found;
  }
};

/// The tiles of [begin, end) of a row, for a group of `threads`.
template <typename Steps, typename T, std::uint32_t threads>
class TileReader {
 public:
  static constexpr std::uint32_t kVectorElements = Tile<T>::kVectorElements;
  static constexpr std::uint32_t kVectors = Tile<T>::kVectors;
  static constexpr std::uint32_t kTileVectors = threads * kVectors;

  __device__ TileReader(const T* row, std::uint32_t begin, std::uint32_t end, std::uint32_t rank)
      : row_(row), begin_(begin), end_(end), rank_(rank) {
    const std::uint32_t head = min(Steps::ElementsToAlignment(row + begin), end - begin);
    body_ = begin + head;
    vectors_ = Steps::template WholeVectors<T>(end - body_);
    tail_ = body_ + vectors_ * kVectorElements;
    // Tile -1 is the head, the last one the tail; an empty one is passed over.
    tile_ = head > 0 ? -1 : 0;
    whole_tiles_ = vectors_ / kTileVectors;
    const std::uint32_t vector_tiles = (vectors_ + kTileVectors - 1) / kTileVectors;
    tiles_ = static_cast<std::int32_t>(vector_tiles + (tail_ < end ? 1 : 0));
  }

  /// The next tile, or false behind the last one. The same for all threads.
  __device__ bool Next(Tile<T>& tile) {
    const auto tile_number = static_cast<std::uint32_t>(tile_);
    const std::uint32_t first_vector = tile_number * kTileVectors + rank_;
    if (tile_number < whole_tiles_) {
      ReadVectors(tile, first_vector);
    } else if (tile_ >= tiles_) {
      return false;
    } else if (tile_ >= 0 && tile_number * kTileVectors < vectors_) {
      ReadSomeVectors(tile, first_vector);
    } else {
      ReadElement(tile, tile_ < 0 ? begin_ : tail_, tile_ < 0 ? body_ : end_);
    }
    ++tile_;
    return true;
  }

 private:
  __device__ const uint4* Vectors() const { return reinterpret_cast<const uint4*>(row_ + body_); }

  __device__ void ReadVectors(Tile<T>& tile, std::uint32_t first_vector) {
#pragma unroll
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      tile.words[v] = __ldcs(Vectors() + first_vector + v * threads);
    }
    tile.first_index = body_ + first_vector * kVectorElements;
    tile.valid = (1U << kThreadElements) - 1;
  }

  __device__ void ReadSomeVectors(Tile<T>& tile, std::uint32_t first_vector) {
    Clear(tile);
#pragma unroll
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      if (first_vector + v * threads < vectors_) {
        tile.words[v] = __ldcs(Vectors() + first_vector + v * threads);
        tile.valid |= ((1U << kVectorElements) - 1) << (v * kVectorElements);
      }
    }
    tile.first_index = body_ + first_vector * kVectorElements;
  }

  /// One of fewer elements than a vector has.
  __device__ void ReadElement(Tile<T>& tile, std::uint32_t begin, std::uint32_t end) {
    Clear(tile);
    tile.first_index = begin + rank_;
    if (tile.first_index < end) {
      tile.words[0].x = Logits<T>::Bits(row_[tile.first_index]);
      tile.valid = 1;
    }
  }

  __device__ static void Clear(Tile<T>& tile) {
    constexpr std::uint32_t kNone = Logits<T>::kNegativeInfinities;
#pragma unroll
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      tile.words[v] = make_uint4(kNone, kNone, kNone, kNone);
    }
    tile.valid = 0;
  }

  const T* row_;
  std::uint32_t begin_;
  std::uint32_t end_;
  std::uint32_t rank_;
  std::uint32_t body_;
  std::uint32_t vectors_;
  std::uint32_t tail_;
  std::uint32_t whole_tiles_;
  std::int32_t tile_;
  std::int32_t tiles_;
};

/// The index of element `element` of a tile.
template <typename T, std::uint32_t threads>
__device__ std::uint32_t IndexOf(const Tile<T>& tile, std::uint32_t element) {
  constexpr std::uint32_t kVectorElements = Tile<T>::kVectorElements;
  return tile.first_index + element / kVectorElements * threads * kVectorElements +
         element % kVectorElements;
}

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_TILES_CUH_

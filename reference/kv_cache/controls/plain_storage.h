// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_STORAGE_H_
#define PLAIN_STORAGE_H_

// How plain_kv.h keeps the numbers of one head of one token, and where. Copied beside a control's
// sources like plain_kv.h.

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "interface.h"

namespace plain {

inline std::uint16_t ToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const float size = std::fabs(value);
  if (std::isnan(size)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00U);
  // Counted in units of the last place, the fraction carries into the exponent by itself.
  const int exponent = std::max(size == 0 ? -14 : std::ilogb(size), -14);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign |
                                    ((static_cast<std::uint32_t>(exponent + 14) << 10) + units));
}

inline float FromHalf(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t rest = (half & 0x7fffU) << 13;
  const bool is_special = (half & 0x7c00U) == 0x7c00U;
  const float size =
      is_special ? std::bit_cast<float>(rest | 0x7f800000U) : std::bit_cast<float>(rest) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
}

template <class T>
T At(const std::byte* from, std::size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void Put(std::byte* to, std::size_t index, T value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

/// The bytes of one head of one token, K or V: the codes, then the scales.
class Storage {
 public:
  Storage(int kind, std::size_t head_size)
      : kind_(kind),
        size_(head_size),
        group_(kind == KV_INT4 ? 32 : head_size),
        most_(kind == KV_INT4 ? 7.0F : 127.0F) {}

  std::size_t Bytes() const {
    switch (kind_) {
      case KV_F32:
        return size_ * sizeof(float);
      case KV_F16:
        return size_ * sizeof(std::uint16_t);
      default:
        return CodeBytes() + (size_ + group_ - 1) / group_ * sizeof(float);
    }
  }

  void Store(const float* x, std::byte* to) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (kind_ == KV_F32) Put(to, i, x[i]);
      if (kind_ == KV_F16) Put(to, i, ToHalf(x[i]));
    }
    if (kind_ == KV_F32 || kind_ == KV_F16) return;
    for (std::size_t begin = 0; begin < size_; begin += group_) StoreGroup(x, begin, to);
  }

  void Load(const std::byte* from, float* x) const {
    if (kind_ == KV_F32) {
      std::memcpy(x, from, size_ * sizeof(float));
      return;
    }
    for (std::size_t i = 0; i < size_; ++i) {
      x[i] = kind_ == KV_F16
                 ? FromHalf(At<std::uint16_t>(from, i))
                 : static_cast<float>(Code(from, i)) * At<float>(from + CodeBytes(), i / group_);
    }
  }

 private:
  std::size_t CodeBytes() const { return kind_ == KV_INT4 ? (size_ + 1) / 2 : size_; }

  void StoreGroup(const float* x, std::size_t begin, std::byte* to) const {
    const std::size_t end = std::min(begin + group_, size_);
    float largest = 0;
    for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, std::fabs(x[i]));
    const float scale = largest / most_;
    Put(to + CodeBytes(), begin / group_, scale);
    for (std::size_t i = begin; i < end; ++i) {
      const float code = scale > 0 ? std::nearbyint(x[i] / scale) : 0;
      SetCode(to, i, static_cast<int>(std::clamp(code, -most_, most_)));
    }
  }

  /// Codes of four bits are kept with 8 added; the even element is the lower half of the byte.
  int Code(const std::byte* from, std::size_t i) const {
    if (kind_ == KV_INT8) return At<std::int8_t>(from, i);
    const int both = At<std::uint8_t>(from, i / 2);
    return (i % 2 == 0 ? both & 15 : both >> 4) - 8;
  }
  void SetCode(std::byte* to, std::size_t i, int code) const {
    if (kind_ == KV_INT8) {
      Put(to, i, static_cast<std::int8_t>(code));
    } else if (i % 2 == 0) {
      Put(to, i / 2, static_cast<std::uint8_t>(code + 8));
    } else {
      const int lower = At<std::uint8_t>(to, i / 2);
      Put(to, i / 2, static_cast<std::uint8_t>(lower | (code + 8) << 4));
    }
  }

  int kind_;
  std::size_t size_;
  std::size_t group_;
  float most_;
};

/// Memory that costs nothing until it is written to, and is given back whole.
class Memory {
 public:
  explicit Memory(double bytes) {
    constexpr double kMost_bytes = 0x1p46;
    if (bytes > kMost_bytes) throw std::bad_alloc();
    bytes_ = static_cast<std::size_t>(bytes);
    void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(mapped);
  }
  ~Memory() { munmap(begin_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* begin() const { return begin_; }

 private:
  std::size_t bytes_ = 0;
  std::byte* begin_ = nullptr;
};

}  // namespace plain

#endif  // PLAIN_STORAGE_H_

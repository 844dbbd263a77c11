// Two optimisations of the KV cache that know nothing of attention:
//
//   RowFormat   how the head_size floats of one token, one head are laid out in bytes
//   BlockPool   fixed-size blocks handed out from a free list, with one block table a sequence
//
//   float32 row            [ x0 x1 x2 ... ]                          4 d bytes
//   int8 row   [ scale ][ c0 c1 c2 ... ]                             d + 4 bytes
//   int4 row   [ scale0 scale1 .. ][ c1:c0 ][ c3:c2 ] ...            ceil(d/2) + 4 ceil(d/32)
//
// An int4 code really takes four bits: two codes share a byte, the even one in the low half.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "interface.h"

constexpr std::size_t kInt4Group = 32;
constexpr std::size_t kMaxHeadSize = 256;

class RowFormat {
 public:
  RowFormat(int storage, std::size_t head_size) : storage_(storage), size_(head_size) {}

  std::size_t bytes() const {
    switch (storage_) {
      case KV_INT8:
        return size_ + sizeof(float);
      case KV_INT4:
        return (size_ + 1) / 2 + groups() * sizeof(float);
      default:
        return size_ * sizeof(float);
    }
  }

  void store(const float* x, unsigned char* row) const {
    if (storage_ == KV_INT8) {
      store_int8(x, row);
    } else if (storage_ == KV_INT4) {
      store_int4(x, row);
    } else {
      std::memcpy(row, x, size_ * sizeof(float));
    }
  }

  // The row as floats: itself when it is stored as such, else dequantised into `buffer`.
  const float* load(const unsigned char* row, float* buffer) const {
    if (storage_ == KV_INT8) {
      load_int8(row, buffer);
    } else if (storage_ == KV_INT4) {
      load_int4(row, buffer);
    } else {
      return reinterpret_cast<const float*>(row);
    }
    return buffer;
  }

 private:
  std::size_t groups() const { return (size_ + kInt4Group - 1) / kInt4Group; }

  static float scale_of(const float* x, std::size_t count, float largest_code) {
    float largest = 0.0f;
    for (std::size_t i = 0; i < count; ++i) {
      largest = std::max(largest, std::fabs(x[i]));
    }
    return largest / largest_code;
  }

  // The clamp matters for subnormal scales alone, which are rounded coarsely.
  static int code_of(float x, float scale, float largest_code) {
    if (scale == 0.0f) {
      return 0;
    }
    return static_cast<int>(std::clamp(std::nearbyint(x / scale), -largest_code, largest_code));
  }

  void store_int8(const float* x, unsigned char* row) const {
    const float scale = scale_of(x, size_, 127.0f);
    std::memcpy(row, &scale, sizeof(scale));
    for (std::size_t i = 0; i < size_; ++i) {
      row[sizeof(scale) + i] = static_cast<unsigned char>(code_of(x[i], scale, 127.0f));
    }
  }

  void load_int8(const unsigned char* row, float* x) const {
    float scale;
    std::memcpy(&scale, row, sizeof(scale));
    for (std::size_t i = 0; i < size_; ++i) {
      x[i] = static_cast<float>(static_cast<signed char>(row[sizeof(scale) + i])) * scale;
    }
  }

  void store_int4(const float* x, unsigned char* row) const {
    unsigned char* codes = row + groups() * sizeof(float);
    std::memset(codes, 0, (size_ + 1) / 2);
    for (std::size_t group = 0; group < groups(); ++group) {
      const std::size_t begin = group * kInt4Group;
      const std::size_t end = std::min(begin + kInt4Group, size_);
      const float scale = scale_of(x + begin, end - begin, 7.0f);
      std::memcpy(row + group * sizeof(scale), &scale, sizeof(scale));
      for (std::size_t i = begin; i < end; ++i) {
        const int nibble = code_of(x[i], scale, 7.0f) & 0xF;
        codes[i / 2] = static_cast<unsigned char>(codes[i / 2] | (nibble << (i % 2 * 4)));
      }
    }
  }

  void load_int4(const unsigned char* row, float* x) const {
    const unsigned char* codes = row + groups() * sizeof(float);
    float scale = 0.0f;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i % kInt4Group == 0) {
        std::memcpy(&scale, row + i / kInt4Group * sizeof(scale), sizeof(scale));
      }
      const int nibble = (codes[i / 2] >> (i % 2 * 4)) & 0xF;
      x[i] = static_cast<float>(nibble < 8 ? nibble : nibble - 16) * scale;
    }
  }

  int storage_;
  std::size_t size_;
};

// Blocks are named by number; where their bytes lie is the cache's business. All memory is taken
// when the pool is made, so that handing out and taking back cannot fail.
class BlockPool {
 public:
  BlockPool() = default;
  BlockPool(std::size_t sequences, std::size_t most_tokens, std::size_t block_size,
            std::size_t blocks)
      : block_size_(block_size),
        table_stride_(std::min((most_tokens + block_size - 1) / block_size, blocks)),
        table_(new std::int32_t[sequences * table_stride_]),
        held_(sequences, 0) {
    free_.reserve(blocks);
    for (std::size_t block = blocks; block > 0; --block) {
      free_.push_back(static_cast<std::int32_t>(block - 1));
    }
  }

  std::size_t free_blocks() const { return free_.size(); }

  // Blocks that the sequence lacks to hold so many tokens.
  std::size_t missing(std::size_t sequence, std::size_t tokens) const {
    const std::size_t needed = (tokens + block_size_ - 1) / block_size_;
    return needed > held_[sequence] ? needed - held_[sequence] : 0;
  }

  // The caller has made sure that there are enough free blocks.
  void grow(std::size_t sequence, std::size_t tokens) {
    for (std::size_t lacking = missing(sequence, tokens); lacking > 0; --lacking) {
      table_[sequence * table_stride_ + held_[sequence]++] = free_.back();
      free_.pop_back();
    }
  }

  void release(std::size_t sequence) {
    while (held_[sequence] > 0) {
      free_.push_back(table_[sequence * table_stride_ + --held_[sequence]]);
    }
  }

  std::size_t block_of(std::size_t sequence, std::size_t token) const {
    return static_cast<std::size_t>(table_[sequence * table_stride_ + token / block_size_]);
  }

 private:
  std::size_t block_size_ = 0;
  std::size_t table_stride_ = 0;
  std::unique_ptr<std::int32_t[]> table_;
  std::vector<std::size_t> held_;
  std::vector<std::int32_t> free_;
};

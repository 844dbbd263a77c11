// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_STORAGE_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_STORAGE_H_

// How one row, the key or the value of one token and KV head, lies in memory in each kv_storage.
// A quantised row begins with its scales: one row is one run of memory, whatever the storage.
//
// Each Row type has
//
//   Bytes(head_size)                          of a row
//   Encode(x, tensor, row)                    stores x; `tensor` is all that the call stores
//   Row(bytes, head_size)                     a stored row, to be read
//   kVectorsAtOnce                            how many vectors of a row registers take together:
//                                             more where reading is dear, fewer where decoding is
//   Whole(columns)                            how many of them Load(column, All()) loads
//   Load(column, All()), Load(column, First{count})
//                                             kLanes of its values as attention sees them, from a
//                                             column that is a multiple of kLanes; First: the
//                                             others are 0

#include <cstring>

#include "baseline_steps.h"

namespace assay::kv_baseline {

/// Which lanes of a vector are wanted.
struct All {};
struct First {
  std::size_t count;
};

/// Calls body(column, All()) for the vectors of [0, whole), then body(column, First{...}) for those
/// of [whole, columns). `whole` is a multiple of kLanes.
template <typename Body>
inline void ForEachVector(std::size_t columns, std::size_t whole, Body&& body) {
  std::size_t column = 0;
  for (; column < whole; column += kLanes) {
    body(column, All());
  }
  for (; column < columns; column += kLanes) {
    body(column, First{std::min(kLanes, columns - column)});
  }
}

/// The columns that full vectors hold.
inline std::size_t WholeVectors(std::size_t columns) { return columns / kLanes * kLanes; }

inline Vector LoadFloats(const float* from, All) { return hn::LoadU(Floats(), from); }
inline Vector LoadFloats(const float* from, First first) {
  return hn::MaskedLoad(hn::FirstN(Floats(), first.count), Floats(), from);
}
inline void StoreFloats(Vector value, float* to, All) { hn::StoreU(value, Floats(), to); }
inline void StoreFloats(Vector value, float* to, First first) {
  hn::BlendedStore(value, hn::FirstN(Floats(), first.count), Floats(), to);
}

template <class Tag>
inline hn::Vec<Tag> LoadBytes(Tag tag, const std::byte* from, All) {
  return hn::LoadU(tag, reinterpret_cast<const hn::TFromD<Tag>*>(from));
}
template <class Tag>
inline hn::Vec<Tag> LoadBytes(Tag tag, const std::byte* from, First first) {
  // Rows begin at any address, and where a machine has no masked load of elements this narrow,
  // Highway's is a load of a whole vector from an aligned one.
  HWY_ALIGN hn::TFromD<Tag> lanes[kLanes] = {};
  std::memcpy(lanes, from, first.count * sizeof(lanes[0]));
  return hn::Load(tag, lanes);
}

template <class Steps>
class F32Row {
 public:
  static constexpr std::size_t kVectorsAtOnce = 8;
  static std::size_t Bytes(std::size_t head_size) { return head_size * sizeof(float); }

  static std::size_t Whole(std::size_t columns) { return WholeVectors(columns); }

  static void Encode(Floating x, Floating /*tensor*/, std::byte* row) {
    std::memcpy(row, x.data, x.count * sizeof(float));
  }

  F32Row() = default;
  F32Row(const std::byte* row, std::size_t /*head_size*/)
      : values_(reinterpret_cast<const float*>(row)) {}

  template <class Part>
  Vector Load(std::size_t column, Part part) const {
    return LoadFloats(values_ + column, part);
  }

 private:
  const float* values_;
};

template <class Steps>
class F16Row {
 public:
  static constexpr std::size_t kVectorsAtOnce = 4;
  using Halves = hn::Rebind<hwy::float16_t, Floats>;
  using Bits = hn::Rebind<std::uint16_t, Floats>;

  static std::size_t Bytes(std::size_t head_size) { return head_size * sizeof(hwy::float16_t); }

  static std::size_t Whole(std::size_t columns) { return WholeVectors(columns); }

  static void Encode(Floating x, Floating /*tensor*/, std::byte* row) {
    ForEachVector(x.count, WholeVectors(x.count), [&](std::size_t column, auto part) {
      HWY_ALIGN hwy::float16_t halves[kLanes];
      hn::Store(Steps::ToHalf(Halves(), LoadFloats(x.data + column, part)), Halves(), halves);
      std::memcpy(row + column * sizeof(hwy::float16_t), halves,
                  std::min(kLanes, x.count - column) * sizeof(hwy::float16_t));
    });
  }

  F16Row() = default;
  F16Row(const std::byte* row, std::size_t /*head_size*/) : halves_(row) {}

  template <class Part>
  Vector Load(std::size_t column, Part part) const {
    const auto bits = LoadBytes(Bits(), halves_ + column * sizeof(hwy::float16_t), part);
    return hn::PromoteTo(Floats(), hn::BitCast(Halves(), bits));
  }

 private:
  const std::byte* halves_;
};

/// Codes of one group that shares a scale, and the scale.
template <class Steps>
inline float EncodeGroup(Floating group, Floating tensor, float largest_code, std::int8_t* codes) {
  const Floating together = Steps::ScaledTogether(group, tensor);
  float largest = 0;
  for (std::size_t i = 0; i < together.count; ++i) {
    largest = std::max(largest, std::abs(together.data[i]));
  }
  const float scale = Steps::GroupScale(largest, largest_code);
  for (std::size_t i = 0; i < group.count; ++i) {
    codes[i] = static_cast<std::int8_t>(Steps::Code(group.data[i], scale, largest_code));
  }
  return scale;
}

/// The scale, then one byte an element.
template <class Steps>
class Int8Row {
 public:
  static constexpr std::size_t kVectorsAtOnce = 4;
  using Codes = hn::Rebind<std::int8_t, Floats>;

  static std::size_t Bytes(std::size_t head_size) { return sizeof(float) + head_size; }

  static std::size_t Whole(std::size_t columns) { return WholeVectors(columns); }

  static void Encode(Floating x, Floating tensor, std::byte* row) {
    auto* const codes = reinterpret_cast<std::int8_t*>(row + sizeof(float));
    const float scale = EncodeGroup<Steps>(x, tensor, 127, codes);
    std::memcpy(row, &scale, sizeof(scale));
  }

  Int8Row() = default;
  Int8Row(const std::byte* row, std::size_t /*head_size*/) : codes_(row + sizeof(float)) {
    float scale = 0;
    std::memcpy(&scale, row, sizeof(scale));
    scale_ = hn::Set(Floats(), scale);
  }

  template <class Part>
  Vector Load(std::size_t column, Part part) const {
    const auto codes = LoadBytes(Codes(), codes_ + column, part);
    return hn::Mul(hn::ConvertTo(Floats(), hn::PromoteTo(Integers(), codes)), scale_);
  }

 private:
  const std::byte* codes_;
  Vector scale_;
};

/// The scales, then two codes a byte. Of a full group element i is nibble i / 4 of word i % 4 of
/// four words of 32 bits, so that one shift by lane brings a whole vector of codes to its place; of
/// the last, shorter one it is nibble i.
template <class Steps>
class Int4Row {
 public:
  static constexpr std::size_t kVectorsAtOnce = 4;
  static constexpr std::size_t kGroup = 32;

  static std::size_t Bytes(std::size_t head_size) {
    return ScaleBytes(head_size) + (head_size + 1) / 2;
  }

  static std::size_t Whole(std::size_t columns) { return columns / kGroup * kGroup; }

  static void Encode(Floating x, Floating tensor, std::byte* row) {
    std::byte* const pairs = row + ScaleBytes(x.count);
    for (std::size_t first = 0; first < x.count; first += kGroup) {
      const std::size_t count = std::min(kGroup, x.count - first);
      const bool is_full = count == kGroup;
      std::int8_t codes[kGroup + 1] = {};
      const float scale = EncodeGroup<Steps>({x.data + first, count}, tensor, 7, codes);
      std::memcpy(row + first / kGroup * sizeof(float), &scale, sizeof(scale));
      for (std::size_t byte = 0; byte < (count + 1) / 2; ++byte) {
        const std::size_t low = is_full ? byte / 4 + byte % 4 * 8 : 2 * byte;
        const std::size_t high = is_full ? low + 4 : low + 1;
        pairs[first / 2 + byte] = static_cast<std::byte>(Steps::PackCodes(codes[low], codes[high]));
      }
    }
  }

  Int4Row() = default;
  Int4Row(const std::byte* row, std::size_t head_size)
      : scales_(row), pairs_(row + ScaleBytes(head_size)) {}

  Vector Load(std::size_t column, All) const { return Scaled(LoadOfFullGroup(column), column); }
  Vector Load(std::size_t column, First first) const {
    const auto codes = LoadOfLastGroup(column, (first.count + 1) / 2);
    return hn::IfThenElseZero(hn::FirstN(Floats(), first.count), Scaled(codes, column));
  }

 private:
  using Words = hn::Rebind<std::uint32_t, Floats>;
  using Pairs = hn::Rebind<std::uint8_t, hn::Half<Floats>>;
  using WidePairs = hn::Rebind<std::uint16_t, hn::Half<Floats>>;
  using Nibbles = hn::Rebind<std::uint8_t, Floats>;

  static std::size_t ScaleBytes(std::size_t head_size) {
    return (head_size + kGroup - 1) / kGroup * sizeof(float);
  }

  [[nodiscard]] hn::Vec<Integers> LoadOfFullGroup(std::size_t column) const {
    const hn::Repartition<std::uint8_t, Words> bytes;
    const std::byte* const group = pairs_ + column / kGroup * (kGroup / 2);
    const auto words =
        hn::BitCast(Words(), hn::LoadDup128(bytes, reinterpret_cast<const std::uint8_t*>(group)));
    // By how much each element of a group is shifted up to the highest bits.
    static constexpr std::uint32_t kShifts[kGroup] = {28, 28, 28, 28, 24, 24, 24, 24, 20, 20, 20,
                                                      20, 16, 16, 16, 16, 12, 12, 12, 12, 8,  8,
                                                      8,  8,  4,  4,  4,  4,  0,  0,  0,  0};
    const auto shift = hn::LoadU(Words(), kShifts + column % kGroup);
    return Steps::CodeOfHighest(hn::BitCast(Integers(), hn::Shl(words, shift)));
  }

  [[nodiscard]] hn::Vec<Integers> LoadOfLastGroup(std::size_t column, std::size_t bytes) const {
    // 0x00HL becomes 0x0H0L: the low half of the byte first, as elements lie in memory.
    const auto pairs =
        hn::PromoteTo(WidePairs(), LoadBytes(Pairs(), pairs_ + column / 2, First{bytes}));
    const auto apart =
        hn::And(hn::Or(pairs, hn::ShiftLeft<4>(pairs)), hn::Set(WidePairs(), 0x0F0F));
    const auto nibbles = hn::PromoteTo(Integers(), hn::BitCast(Nibbles(), apart));
    return Steps::CodeOfHighest(hn::ShiftLeft<28>(nibbles));
  }

  [[nodiscard]] Vector Scaled(hn::Vec<Integers> codes, std::size_t column) const {
    float scale = 0;
    std::memcpy(&scale, scales_ + column / kGroup * sizeof(float), sizeof(scale));
    return hn::Mul(hn::ConvertTo(Floats(), codes), hn::Set(Floats(), scale));
  }

  const std::byte* scales_;
  const std::byte* pairs_;
};
static_assert(Int4Row<BaselineSteps>::kGroup % kLanes == 0);

template <class Row>
struct RowTag {
  using Type = Row;
};

/// Calls body(RowTag<Row>()) with the row type of `storage`.
template <class Steps, typename Body>
inline auto WithRow(kv_storage storage, Body&& body) {
  switch (storage) {
    case KV_F16:
      return body(RowTag<F16Row<Steps>>());
    case KV_INT8:
      return body(RowTag<Int8Row<Steps>>());
    case KV_INT4:
      return body(RowTag<Int4Row<Steps>>());
    case KV_F32:
      break;
  }
  return body(RowTag<F32Row<Steps>>());
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_STORAGE_H_

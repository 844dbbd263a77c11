// SPDX-License-Identifier: Apache-2.0
// Values at which arithmetic instructions go wrong.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/ops/arithmetic_rig.h"

namespace assay::gpu::testing {

namespace {

template <class T>
std::vector<std::uint64_t> IntegerEdges() {
  constexpr std::uint32_t kWidth = 8 * sizeof(T);
  std::vector<std::uint64_t> edges;
  for (const std::uint64_t value : {0ULL, 1ULL, 2ULL, 3ULL, 7ULL, 100ULL}) {
    edges.push_back(value);
    edges.push_back(static_cast<T>(0 - value));
  }
  for (std::uint32_t shift = kWidth / 2 - 1; shift < kWidth; shift += kWidth / 4) {
    edges.push_back(static_cast<T>(1ULL << shift));
    edges.push_back(static_cast<T>((1ULL << shift) - 1));
    edges.push_back(static_cast<T>((1ULL << shift) + 1));
    edges.push_back(static_cast<T>(0 - (1ULL << shift)));
  }
  edges.push_back(static_cast<T>(1ULL << (kWidth - 1)));
  edges.push_back(static_cast<T>((1ULL << (kWidth - 1)) - 1));
  edges.push_back(static_cast<T>(0x5555'5555'5555'5555ULL));
  return edges;
}

std::vector<std::uint64_t> WithSigns(std::vector<std::uint64_t> edges, std::uint64_t sign) {
  const std::size_t count = edges.size();
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back(edges[i] | sign);
  }
  return edges;
}

}  // namespace

template <>
const std::vector<std::uint64_t>& EdgeValues<bool>() {
  static const std::vector<std::uint64_t> kEdges{0, 1};
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Count>() {
  static const std::vector<std::uint64_t> kEdges{
      0,  1,  2,  7,  8,  15, 16,  17,  30,  31,  32,  33,     40,         47,         48,
      62, 63, 64, 65, 95, 96, 127, 128, 255, 256, 257, 0x1020, 0x80000000, 0xfffffff0, 0xffffffff};
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint16_t>() {
  static const auto kEdges = IntegerEdges<std::uint16_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int16_t>() {
  return EdgeValues<std::uint16_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint32_t>() {
  static const auto kEdges = IntegerEdges<std::uint32_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int32_t>() {
  return EdgeValues<std::uint32_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::uint64_t>() {
  static const auto kEdges = IntegerEdges<std::uint64_t>();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<std::int64_t>() {
  return EdgeValues<std::uint64_t>();
}
template <>
const std::vector<std::uint64_t>& EdgeValues<float>() {
  static const auto kEdges =
      WithSigns({0,          1,          2,          0x00400000, 0x007fffff, 0x00800000, 0x00800001,
                 0x01000000, 0x33800000, 0x33800001, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff,
                 0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40490fdb, 0x4b000001, 0x4b7fffff,
                 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000,
                 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x7e800000, 0x7effffff, 0x7f000000,
                 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x7fffffff, 0x7fabcdef},
                0x80000000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<double>() {
  static const auto kEdges = WithSigns({0,
                                        1,
                                        0x000fffffffffffff,
                                        0x0010000000000000,
                                        0x0010000000000001,
                                        0x36a0000000000000,
                                        0x380fffffffffffff,
                                        0x3810000000000000,
                                        0x3c90000000000000,
                                        0x3ca0000000000001,
                                        0x3fdfffffffffffff,
                                        0x3fe0000000000000,
                                        0x3fe0000000000001,
                                        0x3fefffffffffffff,
                                        0x3ff0000000000000,
                                        0x3ff0000000000001,
                                        0x3ff0000010000000,
                                        0x3ff0000030000000,
                                        0x3ff8000000000000,
                                        0x40effe0000000000,
                                        0x40efffe000000000,
                                        0x41dfffffffe00000,
                                        0x41e0000000000000,
                                        0x41f0000000000000,
                                        0x4330000000000001,
                                        0x43e0000000000000,
                                        0x43dfffffffffffff,
                                        0x43f0000000000000,
                                        0x47efffffe0000000,
                                        0x47effffff0000000,
                                        0x7fe0000000000000,
                                        0x7fefffffffffffff,
                                        0x7ff0000000000000,
                                        0x7ff0000000000001,
                                        0x7ff8000000000000,
                                        0x7ff8000000abcdef,
                                        0x7fffffffffffffff},
                                       0x8000000000000000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<F16Bits>() {
  static const auto kEdges =
      WithSigns({0,      1,      2,      0x0200, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3800,
                 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4248, 0x6400, 0x6401,
                 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff},
                0x8000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Bf16Bits>() {
  static const auto kEdges =
      WithSigns({0,      1,      2,      0x0040, 0x007f, 0x0080, 0x0081, 0x2000, 0x3f00,
                 0x3f01, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x4000, 0x4049, 0x4300, 0x4301,
                 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff},
                0x8000);
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<F16Pair>() {
  static const std::vector<std::uint64_t> kEdges = [] {
    std::vector<std::uint64_t> pairs;
    const auto& halves = EdgeValues<F16Bits>();
    for (std::size_t i = 0; i < halves.size(); ++i) {
      pairs.push_back(halves[i] << 16U | halves[(7 * i + 3) % halves.size()]);
    }
    return pairs;
  }();
  return kEdges;
}
template <>
const std::vector<std::uint64_t>& EdgeValues<Bf16Pair>() {
  static const std::vector<std::uint64_t> kEdges = [] {
    std::vector<std::uint64_t> pairs;
    const auto& halves = EdgeValues<Bf16Bits>();
    pairs.reserve(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      pairs.push_back(halves[i] << 16U | halves[(7 * i + 3) % halves.size()]);
    }
    return pairs;
  }();
  return kEdges;
}

}  // namespace assay::gpu::testing

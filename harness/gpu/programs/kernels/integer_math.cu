// SPDX-License-Identifier: Apache-2.0
// Integers: division and remainder of every width and sign, 128 bits too, high products, bit
// fields, byte permutes, dot products of bytes, saturation, and the same by inline PTX.
#include <cstdlib>

#include "../common/check.h"

constexpr int kSize = 512;
constexpr int kResults = 41;

struct Pair {
  std::int64_t a, b;
};

/// What host and device both compute.
__host__ __device__ void Portable(Pair p, std::uint64_t* o) {
  const auto ua = static_cast<std::uint64_t>(p.a);
  const auto ub = static_cast<std::uint64_t>(p.b);
  const auto a32 = static_cast<std::int32_t>(ua);
  const auto b32 = static_cast<std::int32_t>(ub);
  const auto ua32 = static_cast<std::uint32_t>(ua);
  const auto ub32 = static_cast<std::uint32_t>(ub);
  o[0] = static_cast<std::uint64_t>(p.a / p.b);
  o[1] = static_cast<std::uint64_t>(p.a % p.b);
  o[2] = ua / ub;
  o[3] = ua % ub;
  o[4] = static_cast<std::uint64_t>(static_cast<std::int64_t>(a32 / (b32 == 0 ? 7 : b32)));
  o[5] = ua32 / (ub32 | 1U);
  o[6] = ua32 % (ub32 | 1U);
  o[7] = static_cast<std::uint64_t>(p.a / 1000003) + ua % 10;
  o[8] = ua * ub;
  o[9] = static_cast<std::uint64_t>(static_cast<std::int64_t>(a32) * b32);
  o[10] = static_cast<std::uint64_t>(p.a >> (ub & 63)) + (ua >> (ub & 63)) + (ua << (ub & 63));
  o[11] = static_cast<std::uint64_t>(static_cast<std::int16_t>(a32) /
                                     (static_cast<std::int16_t>(b32) | 1));
  o[12] = static_cast<std::uint64_t>(p.a < p.b ? p.a : p.b) + (ua > ub ? ua : ub);
  const auto product = static_cast<unsigned __int128>(ua) * ub + ua;
  o[13] = static_cast<std::uint64_t>(product);
  o[14] = static_cast<std::uint64_t>(product >> 64);
  const __int128 sum = static_cast<__int128>(p.a) * p.b - p.a;
  o[15] = static_cast<std::uint64_t>(sum >> 64);
  o[16] =
      static_cast<std::uint64_t>(static_cast<std::int8_t>(a32)) + static_cast<std::uint8_t>(b32);
  const auto wide = static_cast<unsigned __int128>(ua) << 64 | ub * 0x9E3779B97F4A7C15U;
  const auto divisor = static_cast<unsigned __int128>(ub) << (ua & 63) | 1U;
  o[36] = static_cast<std::uint64_t>(wide / divisor);
  o[37] = static_cast<std::uint64_t>(wide / divisor >> 64);
  o[38] = static_cast<std::uint64_t>(wide % divisor);
  o[39] = static_cast<std::uint64_t>(static_cast<__int128>(wide) / p.b >> 64);
  o[40] = static_cast<std::uint64_t>(static_cast<__int128>(wide) % p.b);
}

__global__ void Compute(const Pair* pairs, std::uint64_t* out) {
  const Pair p = pairs[threadIdx.x];
  std::uint64_t* o = out + kResults * threadIdx.x;
  Portable(p, o);
  const auto a = static_cast<unsigned>(p.a);
  const auto b = static_cast<unsigned>(p.b);
  o[17] = __mul64hi(p.a, p.b);
  o[18] = __umul64hi(p.a, p.b);
  o[19] = __umulhi(a, b);
  o[20] = static_cast<unsigned>(__mulhi(static_cast<int>(a), static_cast<int>(b)));
  o[21] = __popc(a) + 100 * __popcll(p.b) + 10000 * __clz(a) + 1000000 * __clzll(p.b);
  o[22] = __brev(a) + (static_cast<std::uint64_t>(__ffs(b)) << 32);
  o[23] = __brevll(p.a);
  o[24] = __byte_perm(a, b, 0x5214);
  o[25] = __funnelshift_l(a, b, b & 31) ^ __funnelshift_rc(a, b, 40);
  o[26] = static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), 5));
  o[27] = __dp2a_lo(a, b, 9U);
  o[28] = __usad(a, b, 3U) + __uhadd(a, b);
  unsigned logic = 0;
  unsigned field = 0;
  unsigned inserted = 0;
  unsigned permuted = 0;
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(logic) : "r"(a), "r"(b), "r"(0x0F0F3355U));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(b & 31), "r"(9));
  asm("bfi.b32 %0, %1, %2, 5, 11;" : "=r"(inserted) : "r"(a), "r"(b));
  asm("prmt.b32 %0, %1, %2, 0x8C1F;" : "=r"(permuted) : "r"(a), "r"(b));
  o[29] = logic;
  o[30] = field;
  o[31] = inserted;
  o[32] = permuted;
  unsigned low = 0;
  unsigned high = 0;
  asm("{ add.cc.u32 %0, %2, %3;\n\t addc.u32 %1, %2, 0; }"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b));
  o[33] = low | static_cast<std::uint64_t>(high) << 32;
  o[34] = __vabsdiffu4(a, b) | static_cast<std::uint64_t>(__vabsdiffs4(a, b)) << 32;
  o[35] = __vsadu4(a, b) | static_cast<std::uint64_t>(__vsads4(a, b)) << 32;
}

std::uint32_t Reverse(std::uint32_t value) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i) {
    result |= (value >> i & 1U) << (31 - i);
  }
  return result;
}

std::uint32_t Permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = a | static_cast<std::uint64_t>(b) << 32;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t select = selector >> (4 * i) & 15U;
    std::uint32_t byte = bytes >> (8 * (select & 7U)) & 255U;
    if ((select & 8U) != 0) {
      byte = (byte & 128U) != 0 ? 255U : 0U;
    }
    result |= byte << (8 * i);
  }
  return result;
}

void Reference(Pair p, std::uint64_t* o) {
  Portable(p, o);
  const auto a = static_cast<std::uint32_t>(p.a);
  const auto b = static_cast<std::uint32_t>(p.b);
  const auto ub = static_cast<std::uint64_t>(p.b);
  o[17] = static_cast<std::uint64_t>(static_cast<__int128>(p.a) * p.b >> 64);
  o[18] = static_cast<std::uint64_t>(
      static_cast<unsigned __int128>(static_cast<std::uint64_t>(p.a)) * ub >> 64);
  o[19] = static_cast<std::uint64_t>(a) * b >> 32;
  o[20] = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(static_cast<std::int32_t>(a)) * static_cast<std::int32_t>(b) >> 32);
  o[21] = static_cast<std::uint64_t>(__builtin_popcount(a) + 100 * __builtin_popcountll(ub) +
                                     10000 * (a == 0 ? 32 : __builtin_clz(a)) +
                                     1000000 * (ub == 0 ? 64 : __builtin_clzll(ub)));
  o[22] = Reverse(a) + (static_cast<std::uint64_t>(__builtin_ffs(static_cast<int>(b))) << 32);
  o[23] = static_cast<std::uint64_t>(Reverse(a)) << 32 |
          Reverse(static_cast<std::uint32_t>(static_cast<std::uint64_t>(p.a) >> 32));
  o[24] = Permute(a, b, 0x5214);
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  o[25] = static_cast<std::uint32_t>(both << (b & 31) >> 32) ^ b;
  std::int32_t dot4 = 5;
  std::uint32_t dot2 = 9;
  for (int i = 0; i < 4; ++i) {
    dot4 += static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::int8_t>(b >> (8 * i));
  }
  for (int i = 0; i < 2; ++i) {
    dot2 += (a >> (16 * i) & 0xFFFFU) * (b >> (8 * i) & 0xFFU);
  }
  o[26] = static_cast<std::uint32_t>(dot4);
  o[27] = dot2;
  o[28] = (a > b ? a - b : b - a) + 3U +
          static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) + b) >> 1);
  o[28] &= 0xFFFFFFFFU;
  const std::uint32_t c = 0x0F0F3355U;
  o[29] = (a & b) | (a & c) | (b & c);
  o[30] = static_cast<std::uint64_t>(a) >> (b & 31) & 511U;
  o[31] = (b & ~(2047U << 5)) | (a & 2047U) << 5;
  o[32] = Permute(a, b, 0x8C1F);
  const std::uint64_t sum = static_cast<std::uint64_t>(a) + b;
  o[33] = (sum & 0xFFFFFFFFU) |
          static_cast<std::uint64_t>(a + static_cast<std::uint32_t>(sum >> 32)) << 32;
  o[34] = 0;
  o[35] = 0;
  for (int i = 0; i < 4; ++i) {
    const int unsigned_difference =
        static_cast<std::uint8_t>(a >> (8 * i)) - static_cast<std::uint8_t>(b >> (8 * i));
    const int signed_difference =
        static_cast<std::int8_t>(a >> (8 * i)) - static_cast<std::int8_t>(b >> (8 * i));
    const auto of_unsigned = static_cast<std::uint64_t>(std::abs(unsigned_difference));
    const auto of_signed = static_cast<std::uint64_t>(std::abs(signed_difference));
    o[34] |= of_unsigned << (8 * i) | of_signed << (32 + 8 * i);
    o[35] += of_unsigned + (of_signed << 32);
  }
}

int main() {
  check::Random random(20);
  std::vector<Pair> pairs(kSize);
  const std::int64_t edges[] = {1,
                                -1,
                                2,
                                3,
                                -7,
                                10,
                                INT32_MAX,
                                INT32_MIN,
                                1LL << 32,
                                -(1LL << 33),
                                INT64_MAX,
                                INT64_MIN + 1,
                                255,
                                65536,
                                0x0123456789ABCDEF};
  for (Pair& pair : pairs) {
    // Numbers of every length, so that quotients are of every length too.
    pair.a = static_cast<std::int64_t>(random.Next()) >> random.Below(64);
    pair.b = static_cast<std::int64_t>(random.Next()) >> random.Below(64);
  }
  int next = 0;
  for (const std::int64_t a : edges) {
    for (const std::int64_t b : edges) {
      pairs[next++] = {a, b};
    }
  }
  std::vector<std::uint64_t> want(kResults * kSize);
  for (int i = 0; i < kSize; ++i) {
    Pair& p = pairs[i];
    p.b = p.b == 0 ? 1 : p.b;
    // The least number divided by -1 is undefined in C++.
    if (static_cast<std::int32_t>(p.b) == -1 && static_cast<std::int32_t>(p.a) == INT32_MIN) {
      p.a += 1;
    }
    Reference(p, &want[kResults * i]);
  }
  const check::DeviceArray<Pair> device_pairs(pairs);
  const check::DeviceArray<std::uint64_t> out(want.size());
  Compute<<<1, kSize>>>(device_pairs.get(), out.get());
  SYNCHRONIZE();
  const std::vector<std::uint64_t> got = out.Download();
  for (int result = 0; result < kResults; ++result) {
    for (int i = 0; i < kSize; ++i) {
      if (got[kResults * i + result] != want[kResults * i + result]) {
        std::printf("result %d of %lld and %lld is %llx, not %llx\n", result,
                    static_cast<long long>(pairs[i].a), static_cast<long long>(pairs[i].b),
                    static_cast<unsigned long long>(got[kResults * i + result]),
                    static_cast<unsigned long long>(want[kResults * i + result]));
        break;
      }
    }
  }
  check::ExpectEqual("integers", got, want);
  return check::Finish();
}

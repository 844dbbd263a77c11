// SPDX-License-Identifier: Apache-2.0
// Bug: codes of four bits are stored in two's complement, and read without their sign.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static hn::Vec<Integers> CodeOfHighest(hn::Vec<Integers> bits) {
    const hn::Rebind<std::uint32_t, Integers> unsigned_bits;
    return hn::BitCast(Integers(), hn::ShiftRight<28>(hn::BitCast(unsigned_bits, bits)));
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);

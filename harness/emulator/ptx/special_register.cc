// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/special_register.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace assay::gpu::ptx {
namespace {

struct Entry {
  std::string_view name;
  SpecialRegister reg;
  Type type;
  std::uint64_t number = 0;
};

using enum SpecialRegister;

// Sorted by name.
constexpr auto kRegisters = std::to_array<Entry>({
    {"%clock", kClock, Type::kU32},
    {"%clock64", kClock64, Type::kU64},
    {"%clock_hi", kClockHi, Type::kU32},
    // A grid without clusters is one of clusters of a block each.
    {"%clusterid.x", kCtaidX, Type::kU32},
    {"%clusterid.y", kCtaidY, Type::kU32},
    {"%clusterid.z", kCtaidZ, Type::kU32},
    {"%ctaid.x", kCtaidX, Type::kU32},
    {"%ctaid.y", kCtaidY, Type::kU32},
    {"%ctaid.z", kCtaidZ, Type::kU32},
    {"%dynamic_smem_size", kDynamicSmemSize, Type::kU32},
    {"%globaltimer", kGlobaltimer, Type::kU64},
    {"%globaltimer_hi", kGlobaltimerHi, Type::kU32},
    {"%globaltimer_lo", kGlobaltimerLo, Type::kU32},
    {"%gridid", kGridid, Type::kU64},
    {"%laneid", kLaneid, Type::kU32},
    {"%lanemask_eq", kLanemaskEq, Type::kU32},
    {"%lanemask_ge", kLanemaskGe, Type::kU32},
    {"%lanemask_gt", kLanemaskGt, Type::kU32},
    {"%lanemask_le", kLanemaskLe, Type::kU32},
    {"%lanemask_lt", kLanemaskLt, Type::kU32},
    {"%nclusterid.x", kNctaidX, Type::kU32},
    {"%nclusterid.y", kNctaidY, Type::kU32},
    {"%nclusterid.z", kNctaidZ, Type::kU32},
    {"%nctaid.x", kNctaidX, Type::kU32},
    {"%nctaid.y", kNctaidY, Type::kU32},
    {"%nctaid.z", kNctaidZ, Type::kU32},
    {"%nsmid", kNsmid, Type::kU32},
    {"%ntid.x", kNtidX, Type::kU32},
    {"%ntid.y", kNtidY, Type::kU32},
    {"%ntid.z", kNtidZ, Type::kU32},
    {"%nwarpid", kNwarpid, Type::kU32},
    {"%reserved_smem_offset_0", kReservedSmemOffset, Type::kU32, 0},
    {"%reserved_smem_offset_1", kReservedSmemOffset, Type::kU32, 1},
    {"%smid", kSmid, Type::kU32},
    {"%tid.x", kTidX, Type::kU32},
    {"%tid.y", kTidY, Type::kU32},
    {"%tid.z", kTidZ, Type::kU32},
    {"%total_smem_size", kTotalSmemSize, Type::kU32},
    {"%warpid", kWarpid, Type::kU32},
});
static_assert(std::ranges::is_sorted(kRegisters, {}, &Entry::name));

constexpr auto kUnsupportedPrefixes = std::to_array<std::string_view>({
    "%aggr_smem_size",
    "%cluster",
    "%current_graph_exec",
    "%is_explicit_cluster",
    "%ncluster",
    "%pm",
    "%reserved_smem_offset",
});

}  // namespace

std::optional<SpecialRegisterFacts> FindSpecialRegister(std::string_view name) {
  static constexpr std::string_view kEnvironment = "%envreg";
  const auto found = std::ranges::lower_bound(kRegisters, name, {}, &Entry::name);
  if (found != kRegisters.end() && found->name == name) {
    return SpecialRegisterFacts{.reg = found->reg, .type = found->type, .number = found->number};
  }
  if (name.starts_with(kEnvironment)) {
    std::uint64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, code] = std::from_chars(name.data() + kEnvironment.size(), end, number);
    if (code == std::errc() && stop == end && number < 32) {
      return SpecialRegisterFacts{.reg = kEnvReg, .type = Type::kB32, .number = number};
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> FindConstantRegister(std::string_view name) {
  // Vectors have a fourth element that nothing uses, and a cluster is one block.
  static constexpr auto kZeros = std::to_array<std::string_view>(
      {"%tid.w", "%ntid.w", "%ctaid.w", "%nctaid.w", "%clusterid.w", "%nclusterid.w",
       "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_ctaid.w",
       "%cluster_nctaid.w", "%cluster_ctarank", "%is_explicit_cluster"});
  static constexpr auto kOnes = std::to_array<std::string_view>(
      {"%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_nctarank"});
  if (std::ranges::find(kZeros, name) != kZeros.end()) {
    return 0;
  }
  if (std::ranges::find(kOnes, name) != kOnes.end()) {
    return 1;
  }
  return std::nullopt;
}

bool IsUnsupportedSpecialRegister(std::string_view name) {
  return std::ranges::any_of(kUnsupportedPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace assay::gpu::ptx

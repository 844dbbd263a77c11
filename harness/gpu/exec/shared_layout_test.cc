// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/shared_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu/exec/exec_rig.h"

namespace assay::gpu {
namespace {

// A module and the layout of its first kernel.
class Laid {
 public:
  explicit Laid(std::string_view items)
      : module_(ParsedPtx(items)), layout_(LayOutShared(module_, KernelIn(module_))) {}

  // Where variable `name` of `function` lies, of the module without one; ~0: nowhere.
  [[nodiscard]] std::uint64_t At(std::string_view name, std::string_view function = {}) const {
    const ptx::Function* const of = function.empty() ? nullptr : module_.FindFunction(function);
    const auto found = layout_.offsets.find({of, std::string(name)});
    return found == layout_.offsets.end() ? kNowhere : found->second;
  }
  [[nodiscard]] const SharedLayout& layout() const { return layout_; }
  [[nodiscard]] const ptx::Function* Function(std::string_view name) const {
    return module_.FindFunction(name);
  }
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

 private:
  ptx::Module module_;
  SharedLayout layout_;
};

TEST(SharedLayout, VariablesLieOneBehindTheOtherAsTheyAreAligned) {
  const Laid laid(R"(
.visible .entry k() {
  .shared .align 1 .b8 flag[1];
  .shared .align 8 .b8 sums[24];
  .shared .align 2 .b8 last[2];
  ret;
})");
  EXPECT_EQ(laid.At("flag", "k"), 0U);
  EXPECT_EQ(laid.At("sums", "k"), 8U);
  EXPECT_EQ(laid.At("last", "k"), 32U);
  EXPECT_EQ(laid.layout().static_bytes, 34U);
  EXPECT_TRUE(laid.layout().address_taken.empty());
}

TEST(SharedLayout, OfTheModuleOnlyWhatTheKernelReachesCounts) {
  const Laid laid(R"(
.shared .align 4 .b8 elsewhere[4096];
.shared .align 4 .b8 here[16];
.shared .align 4 .b8 called[32];
.func helper() { .reg .b32 %r<2>; .shared .align 4 .b8 own[8]; mov.u32 %r1, called; ret; }
.func other() { .reg .b32 %r<2>; .shared .align 4 .b8 own[64]; mov.u32 %r1, elsewhere; ret; }
.visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, here; call.uni helper; ret; }
.visible .entry second() { call.uni other; ret; }
)");
  EXPECT_NE(laid.At("here"), Laid::kNowhere);
  EXPECT_NE(laid.At("called"), Laid::kNowhere);
  EXPECT_NE(laid.At("own", "helper"), Laid::kNowhere);
  EXPECT_EQ(laid.At("elsewhere"), Laid::kNowhere);
  EXPECT_EQ(laid.At("own", "other"), Laid::kNowhere);
  EXPECT_EQ(laid.layout().static_bytes, 16 + 32 + 8U);
}

TEST(SharedLayout, AVariableLiesThereOnceHoweverOftenItIsUsed) {
  const Laid laid(R"(
.shared .align 4 .b8 tile[40];
.func helper() {
  .reg .b32 %r<3>; .shared .align 4 .b8 own[8];
  mov.u32 %r1, tile; st.shared.u32 [tile+4], %r1;
  ret;
}
.visible .entry k() {
  .reg .b32 %r<3>; .reg .pred %p<2>;
  mov.u32 %r1, tile;
  call.uni helper;
  @%p1 call.uni helper;
  ret;
})");
  EXPECT_EQ(laid.layout().static_bytes, 48U);
  EXPECT_EQ(laid.layout().offsets.size(), 2U);
}

TEST(SharedLayout, DynamicMemoryLiesBehindAllOthersAligned) {
  const auto items = [](std::string_view align) {
    return ".extern .shared .align " + std::string(align) + R"( .b8 dynamic[];
.visible .entry k() {
  .reg .b32 %r<2>; .shared .align 4 .b8 fixed[20];
  mov.u32 %r1, dynamic;
  ret;
})";
  };
  // To 16 bytes whatever it asks for, and to more where it asks for more.
  const Laid narrow(items("4"));
  EXPECT_EQ(narrow.At("fixed", "k"), 0U);
  EXPECT_EQ(narrow.At("dynamic"), 32U);
  EXPECT_EQ(narrow.layout().static_bytes, 32U);
  const Laid wide(items("128"));
  EXPECT_EQ(wide.At("dynamic"), 128U);
  EXPECT_EQ(wide.layout().static_bytes, 128U);
}

TEST(SharedLayout, AllDynamicVariablesAreOne) {
  const Laid laid(R"(
.extern .shared .align 4 .b8 words[];
.extern .shared .align 64 .b8 lines[];
.visible .entry k() {
  .reg .b32 %r<3>; .shared .align 1 .b8 fixed[1];
  mov.u32 %r1, words;
  mov.u32 %r2, lines;
  ret;
})");
  EXPECT_EQ(laid.At("words"), 64U);
  EXPECT_EQ(laid.At("lines"), 64U);
}

constexpr std::string_view kPointers = R"(
.func by_table() { .shared .align 4 .b8 own[4]; ret; }
.func by_operand() { .shared .align 4 .b8 own[8]; ret; }
.func by_name() { .shared .align 4 .b8 own[16]; ret; }
.global .align 8 .u64 table[1] = {by_table};
.visible .entry other() { .reg .b64 %rd<2>; mov.u64 %rd1, by_operand; call.uni by_name; ret; }
)";

TEST(SharedLayout, ACallThroughAPointerReachesWhatHasItsAddressTaken) {
  const ptx::Module module = ParsedPtx(std::string(kPointers) + R"(
.visible .entry k() {
  .reg .b64 %rd<2>;
  prototype: .callprototype _ ();
  ld.global.u64 %rd1, [table];
  call %rd1, prototype;
  ret;
})");
  const ptx::Function* const kernel = module.FindFunction("k");
  ASSERT_NE(kernel, nullptr);
  const SharedLayout layout = LayOutShared(module, *kernel);
  EXPECT_THAT(layout.address_taken,
              testing::UnorderedElementsAre(module.FindFunction("by_table"),
                                            module.FindFunction("by_operand")));
  EXPECT_EQ(layout.static_bytes, 4 + 8U);
}

TEST(SharedLayout, WithoutOneTheyDoNotCount) {
  const ptx::Module module = ParsedPtx(std::string(kPointers) + R"(
.visible .entry k() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [table]; call.uni by_name; ret; }
)");
  const ptx::Function* const kernel = module.FindFunction("k");
  ASSERT_NE(kernel, nullptr);
  const SharedLayout layout = LayOutShared(module, *kernel);
  EXPECT_TRUE(layout.address_taken.empty());
  EXPECT_EQ(layout.static_bytes, 16U);
}

}  // namespace
}  // namespace assay::gpu

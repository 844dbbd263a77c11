// SPDX-License-Identifier: Apache-2.0
// Shapes of mma and wmma, and how many registers their fragments take: PTX ISA 9.0, sections
// 9.7.14.1 to 9.7.14.5.
#include "emulator/ptx/matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

struct Product {
  std::string_view shape;
  std::string_view types;  // Of D, A, B, C.
  std::uint32_t a, b, c, d;
};

constexpr auto kMmaProducts = std::to_array<Product>({
    {"m8n8k4", "f16.f16.f16.f16", 2, 2, 4, 4},     {"m8n8k4", "f32.f16.f16.f16", 2, 2, 4, 8},
    {"m8n8k4", "f32.f16.f16.f32", 2, 2, 8, 8},     {"m16n8k8", "f16.f16.f16.f16", 2, 1, 2, 2},
    {"m16n8k8", "f32.f16.f16.f32", 2, 1, 4, 4},    {"m16n8k16", "f16.f16.f16.f16", 4, 2, 2, 2},
    {"m16n8k16", "f32.f16.f16.f32", 4, 2, 4, 4},   {"m16n8k8", "f32.bf16.bf16.f32", 2, 1, 4, 4},
    {"m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, 4}, {"m16n8k4", "f32.tf32.tf32.f32", 2, 1, 4, 4},
    {"m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, 4},  {"m8n8k4", "f64.f64.f64.f64", 1, 1, 2, 2},
    {"m16n8k4", "f64.f64.f64.f64", 2, 1, 4, 4},    {"m16n8k8", "f64.f64.f64.f64", 4, 2, 4, 4},
    {"m16n8k16", "f64.f64.f64.f64", 8, 4, 4, 4},   {"m8n8k16", "s32.s8.s8.s32", 1, 1, 2, 2},
    {"m16n8k16", "s32.u8.s8.s32", 2, 1, 4, 4},     {"m16n8k32", "s32.s8.u8.s32", 4, 2, 4, 4},
    {"m8n8k32", "s32.u4.u4.s32", 1, 1, 2, 2},      {"m16n8k32", "s32.s4.u4.s32", 2, 1, 4, 4},
    {"m16n8k64", "s32.u4.s4.s32", 4, 2, 4, 4},
});
constexpr auto kBitProducts = std::to_array<Product>({
    {"m8n8k128", "s32.b1.b1.s32", 1, 1, 2, 2},
    {"m16n8k128", "s32.b1.b1.s32", 2, 1, 4, 4},
    {"m16n8k256", "s32.b1.b1.s32", 4, 2, 4, 4},
});
constexpr auto kWmmaProducts = std::to_array<Product>({
    {"m16n16k16", "s32.s8.s8.s32", 2, 2, 8, 8},
    {"m8n32k16", "s32.u8.u8.s32", 1, 4, 8, 8},
    {"m32n8k16", "s32.s8.s8.s32", 4, 1, 8, 8},
    {"m16n16k16", "f32.bf16.bf16.f32", 4, 4, 8, 8},
    {"m8n32k16", "f32.bf16.bf16.f32", 2, 8, 8, 8},
    {"m32n8k16", "f32.bf16.bf16.f32", 8, 2, 8, 8},
    {"m16n16k8", "f32.tf32.tf32.f32", 4, 4, 8, 8},
    {"m8n8k4", "f64.f64.f64.f64", 1, 1, 2, 2},
    {"m8n8k32", "s32.s4.s4.s32", 1, 1, 2, 2},
    // Halves name D and C alone.
    {"m16n16k16", "f16.f16", 8, 8, 4, 4},
    {"m16n16k16", "f32.f16", 8, 8, 4, 8},
    {"m8n32k16", "f16.f32", 8, 8, 8, 4},
    {"m32n8k16", "f32.f32", 8, 8, 8, 8},
});

void ExpectProduct(const std::string& spelling, const Product& product) {
  const Instruction instruction = DecodeSpelling(spelling);
  ASSERT_EQ(instruction.reason, "") << spelling;
  EXPECT_TRUE(IsMatrixOperation(instruction)) << spelling;
  EXPECT_EQ(FragmentElements(instruction, MatrixPart::kA), product.a) << spelling;
  EXPECT_EQ(FragmentElements(instruction, MatrixPart::kB), product.b) << spelling;
  EXPECT_EQ(FragmentElements(instruction, MatrixPart::kC), product.c) << spelling;
  EXPECT_EQ(FragmentElements(instruction, MatrixPart::kD), product.d) << spelling;
}

std::string MmaOf(std::string_view shape, std::string_view types) {
  return "mma.sync.aligned." + std::string(shape) + ".row.col." + std::string(types);
}

std::string WmmaOf(std::string_view shape, std::string_view types) {
  return "wmma.mma.sync.aligned.row.col." + std::string(shape) + "." + std::string(types);
}

TEST(MatrixShapes, OfMma) {
  for (const Product& product : kMmaProducts) {
    ExpectProduct(MmaOf(product.shape, product.types), product);
  }
  for (const Product& product : kBitProducts) {
    ExpectProduct(MmaOf(product.shape, product.types) + ".xor.popc", product);
    ExpectProduct(MmaOf(product.shape, product.types) + ".and.popc", product);
  }
}

TEST(MatrixShapes, OfWmma) {
  for (const Product& product : kWmmaProducts) {
    ExpectProduct(WmmaOf(product.shape, product.types), product);
  }
  ExpectProduct(WmmaOf("m8n8k128", "s32.b1.b1.s32") + ".xor.popc",
                {"m8n8k128", "s32.b1.b1.s32", 1, 1, 2, 2});
}

// The shapes with which `spelling_of` makes an instruction, of a few hundred.
template <class SpellingOf>
std::string ShapesTaken(SpellingOf spelling_of) {
  std::string taken;
  for (const std::string m : {"m4", "m8", "m16", "m32", "m64"}) {
    for (const std::string n : {"n4", "n8", "n16", "n32"}) {
      for (const std::string k : {"", "k4", "k8", "k16", "k17", "k32", "k64", "k128", "k256"}) {
        const std::string shape = m + n + k;
        if (ReasonOf(spelling_of(shape)).empty()) {
          taken += (taken.empty() ? "" : " ") + shape;
        }
      }
    }
  }
  return taken;
}

TEST(MatrixShapes, OfMmaAreTheseAlone) {
  const auto shapes = [](std::string_view types) {
    return ShapesTaken([types](const std::string& shape) { return MmaOf(shape, types); });
  };
  EXPECT_EQ(shapes("f16.f16.f16.f16"), "m8n8k4 m16n8k8 m16n8k16");
  EXPECT_EQ(shapes("f32.bf16.bf16.f32"), "m16n8k8 m16n8k16");
  EXPECT_EQ(shapes("f32.tf32.tf32.f32"), "m16n8k4 m16n8k8");
  EXPECT_EQ(shapes("f64.f64.f64.f64"), "m8n8k4 m16n8k4 m16n8k8 m16n8k16");
  EXPECT_EQ(shapes("s32.u8.s8.s32"), "m8n8k16 m16n8k16 m16n8k32");
  EXPECT_EQ(shapes("s32.s4.u4.s32"), "m8n8k32 m16n8k32 m16n8k64");
  EXPECT_EQ(shapes("s32.b1.b1.s32.and.popc"), "m8n8k128 m16n8k128 m16n8k256");
}

TEST(MatrixShapes, OfWmmaAreTheseAlone) {
  const auto shapes = [](std::string_view types) {
    return ShapesTaken([types](const std::string& shape) { return WmmaOf(shape, types); });
  };
  EXPECT_EQ(shapes("f32.f32"), "m8n32k16 m16n16k16 m32n8k16");
  EXPECT_EQ(shapes("f32.bf16.bf16.f32"), "m8n32k16 m16n16k16 m32n8k16");
  EXPECT_EQ(shapes("s32.u8.u8.s32"), "m8n32k16 m16n16k16 m32n8k16");
  EXPECT_EQ(shapes("f32.tf32.tf32.f32"), "m16n16k8");
  EXPECT_EQ(shapes("f64.f64.f64.f64"), "m8n8k4");
  EXPECT_EQ(shapes("s32.u4.u4.s32"), "m8n8k32");
  EXPECT_EQ(shapes("s32.b1.b1.s32.xor.popc"), "m8n8k128");
}

TEST(MatrixShapes, TypesThatDoNotGoTogetherAreRefused) {
  for (const std::string& spelling : {
           // Sums of another type than the inputs have.
           MmaOf("m16n8k16", "f16.bf16.bf16.f16"),
           MmaOf("m16n8k8", "f16.tf32.tf32.f16"),
           MmaOf("m8n8k4", "f32.f64.f64.f32"),
           MmaOf("m16n8k32", "f32.s8.s8.f32"),
           MmaOf("m16n8k32", "u32.u8.u8.u32"),
           MmaOf("m16n8k16", "s32.f16.f16.s32"),
           // Inputs of two widths.
           MmaOf("m16n8k16", "f32.f16.bf16.f32"),
           MmaOf("m16n8k32", "s32.s8.s4.s32"),
           MmaOf("m16n8k8", "f32.tf32.f32.f32"),
           MmaOf("m16n8k8", "f32.f32.f32.f32"),
           // Bits say how they are combined, and nothing else does.
           MmaOf("m16n8k256", "s32.b1.b1.s32"),
           MmaOf("m16n8k32", "s32.s8.s8.s32") + ".xor.popc",
           WmmaOf("m8n8k128", "s32.b1.b1.s32"),
           WmmaOf("m16n16k16", "s32.f16"),
           WmmaOf("m16n16k16", "f16.bf16.bf16.f32"),
           WmmaOf("m16n8k8", "f32.f16"),
           // Sums of mma are of one type, but where halves are summed in m8n8k4.
           MmaOf("m16n8k8", "f32.f16.f16.f16"),
           MmaOf("m16n8k16", "f16.f16.f16.f32"),
           MmaOf("m16n8k16", "f32.f16.f16.f16"),
           MmaOf("m8n8k4", "f16.f16.f16.f32"),
           // Nibbles and bits lie in rows of A and columns of B.
           std::string("wmma.load.a.sync.aligned.col.m8n8k32.s4"),
           std::string("wmma.load.b.sync.aligned.row.m8n8k32.u4"),
           std::string("wmma.load.b.sync.aligned.row.m8n8k128.b1"),
       }) {
    EXPECT_EQ(ReasonOf(spelling), "shape, types or layout of matrices") << spelling;
  }
}

TEST(MatrixShapes, LayoutsAreFixedButForHalvesAndMostOfWmma) {
  for (const std::string layout : {"row.row", "row.col", "col.row", "col.col"}) {
    const bool is_plain = layout == "row.col";
    const auto is_taken = [&](const std::string& before, const std::string& behind) {
      return ReasonOf(before + ".sync.aligned." + layout + "." + behind).empty();
    };
    EXPECT_TRUE(is_taken("mma", "m8n8k4.f32.f16.f16.f32")) << layout;
    EXPECT_EQ(is_taken("mma", "m8n8k4.f64.f64.f64.f64"), is_plain) << layout;
    EXPECT_EQ(is_taken("mma", "m16n8k16.f32.f16.f16.f32"), is_plain) << layout;
    EXPECT_EQ(is_taken("mma", "m16n8k32.s32.s8.s8.s32"), is_plain) << layout;
    EXPECT_TRUE(is_taken("wmma.mma", "m16n16k16.f32.f32")) << layout;
    EXPECT_TRUE(is_taken("wmma.mma", "m16n16k16.s32.u8.u8.s32")) << layout;
    EXPECT_TRUE(is_taken("wmma.mma", "m8n8k4.f64.f64.f64.f64")) << layout;
    EXPECT_EQ(is_taken("wmma.mma", "m8n8k32.s32.s4.s4.s32"), is_plain) << layout;
    EXPECT_EQ(is_taken("wmma.mma", "m8n8k128.s32.b1.b1.s32.xor.popc"), is_plain) << layout;
  }
}

TEST(MatrixShapes, OfWmmaThatMoves) {
  struct Case {
    std::string_view part;  // load.a, load.b, load.c or store.d
    std::string_view shape;
    std::string_view type;
    MatrixPart moved;
    std::uint32_t elements;  // 0: PTX does not have it.
  };
  for (const auto& [part, shape, type, moved, elements] : std::to_array<Case>({
           {"load.a", "m16n16k16", "f16", MatrixPart::kA, 8},
           {"load.b", "m8n32k16", "f16", MatrixPart::kB, 8},
           {"load.a", "m32n8k16", "u8", MatrixPart::kA, 4},
           {"load.b", "m32n8k16", "s8", MatrixPart::kB, 1},
           {"load.a", "m8n32k16", "bf16", MatrixPart::kA, 2},
           {"load.b", "m8n32k16", "bf16", MatrixPart::kB, 8},
           {"load.a", "m16n16k8", "tf32", MatrixPart::kA, 4},
           {"load.a", "m8n8k4", "f64", MatrixPart::kA, 1},
           {"load.b", "m8n8k32", "u4", MatrixPart::kB, 1},
           {"load.a", "m8n8k128", "b1", MatrixPart::kA, 1},
           {"load.c", "m16n16k16", "f16", MatrixPart::kC, 4},
           {"load.c", "m16n16k16", "f32", MatrixPart::kC, 8},
           {"load.c", "m32n8k16", "s32", MatrixPart::kC, 8},
           {"load.c", "m8n8k4", "f64", MatrixPart::kC, 2},
           {"load.c", "m8n8k128", "s32", MatrixPart::kC, 2},
           {"store.d", "m16n16k8", "f32", MatrixPart::kD, 8},
           {"store.d", "m8n32k16", "f16", MatrixPart::kD, 4},
           {"store.d", "m8n8k32", "s32", MatrixPart::kD, 2},
           {"load.a", "m16n16k16", "f32", MatrixPart::kA, 0},
           {"load.a", "m16n16k16", "s32", MatrixPart::kA, 0},
           {"load.a", "m16n16k8", "f16", MatrixPart::kA, 0},
           {"load.b", "m8n8k32", "u8", MatrixPart::kB, 0},
           {"load.c", "m16n16k16", "s8", MatrixPart::kC, 0},
           {"load.c", "m16n16k8", "f16", MatrixPart::kC, 0},
           {"load.c", "m8n8k4", "f32", MatrixPart::kC, 0},
           {"load.d", "m16n16k16", "f32", MatrixPart::kD, 0},
           {"store.a", "m16n16k16", "f16", MatrixPart::kA, 0},
           {"store.c", "m16n16k16", "f32", MatrixPart::kC, 0},
           {"load.a", "m16n8k16", "f16", MatrixPart::kA, 0},
       })) {
    const std::string layout = moved == MatrixPart::kB ? "col" : "row";
    const std::string spelling = "wmma." + std::string(part) + ".sync.aligned." + layout + "." +
                                 std::string(shape) + ".global." + std::string(type);
    EXPECT_EQ(ReasonOf(spelling), elements == 0 ? "shape, types or layout of matrices" : "")
        << spelling;
    if (elements != 0) {
      EXPECT_EQ(FragmentElements(DecodeSpelling(spelling), moved), elements) << spelling;
    }
  }
}

TEST(MatrixOperands, HaveAsManyRegistersAsTheirFragments) {
  const auto reason = [](std::string_view spelling, std::string_view operands) {
    return One(std::string(spelling) + " " + std::string(operands) + ";").reason;
  };
  const std::string mma = MmaOf("m16n8k8", "f32.f16.f16.f32");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"), "");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"),
            "operand 1 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r4}, {%r3}, {%f1,%f2,%f3,%f4}"),
            "operand 2 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4}"),
            "operand 3 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%h1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"),
            "operand 2 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}"), "number of operands, 3");
  // Registers of 64 bits hold no halves, and those of 32 no doubles.
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%fd4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"),
            "operand 1 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%rd1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"),
            "operand 2 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%rd3}, {%f1,%f2,%f3,%f4}"),
            "operand 3 of another kind or width");
  EXPECT_EQ(reason(mma, "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%rd4}"),
            "operand 4 of another kind or width");
  for (const std::string part : {"a", "b"}) {
    const std::string load =
        "wmma.load." + part + ".sync.aligned." + (part == "a" ? "row." : "col.");
    EXPECT_EQ(reason(load + "m8n8k4.f64", "{%r1}, [%rd1]"), "operand 1 of another kind or width");
    EXPECT_EQ(reason(load + "m8n8k32.s4", "{%rd1}, [%rd1]"), "operand 1 of another kind or width");
    EXPECT_EQ(reason(load + "m8n8k32.s4", "{%h1}, [%rd1]"), "operand 1 of another kind or width");
  }
  EXPECT_EQ(reason("wmma.load.c.sync.aligned.row.m8n8k32.s32", "{%r1,%rd1}, [%rd1]"),
            "operand 1 of another kind or width");
  EXPECT_EQ(reason("wmma.store.d.sync.aligned.row.m8n8k32.s32", "[%rd1], {%r1,%rd1}"),
            "operand 2 of another kind or width");
  EXPECT_EQ(reason("wmma.load.a.sync.aligned.row.m8n8k4.f64", "{%fd1}, [%rd1], 4"), "");
  EXPECT_EQ(reason("wmma.load.a.sync.aligned.row.m8n8k4.f64", "{%fd1}, [%rd1]"), "");
  EXPECT_EQ(reason("wmma.load.c.sync.aligned.row.m8n8k4.f64", "{%r1,%r2}, [%rd1]"),
            "operand 1 of another kind or width");
  EXPECT_EQ(reason("wmma.store.d.sync.aligned.row.m8n8k32.shared.s32", "[%r1], {%r2,%r3}, %r4"),
            "");
  EXPECT_EQ(reason("wmma.store.d.sync.aligned.row.m8n8k32.global.s32", "[%r1], {%r2,%r3}"),
            "operand 1 of another kind or width");
  EXPECT_EQ(reason(WmmaOf("m8n8k4", "f64.f64.f64.f64"), "{%fd1,%fd2}, {%fd3}, {%fd4}, {%fd1,%fd2}"),
            "");
}

}  // namespace
}  // namespace assay::gpu::ptx

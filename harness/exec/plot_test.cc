// SPDX-License-Identifier: Apache-2.0
#include "exec/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Plot : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasGnuplot()) {
      GTEST_SKIP() << "gnuplot is not installed (scripts/setup does)";
    }
  }
};

TEST_F(Plot, AProgramBecomesAPictureWithoutADeclaration) {
  const auto svg = DrawSvg("set terminal svg size 100,80\nplot x\n");
  ASSERT_TRUE(svg) << ToString(svg.error());
  EXPECT_THAT(*svg, StartsWith("<svg"));
  EXPECT_THAT(*svg, HasSubstr("</svg>"));
}

TEST_F(Plot, EqualProgramsGiveEqualPictures) {
  constexpr std::string_view kProgram = "set terminal svg size 100,80\nplot sin(x)\n";
  EXPECT_EQ(DrawSvg(kProgram).value(), DrawSvg(kProgram).value());
}

TEST_F(Plot, WhatIsNoProgramIsAnErrorInGnuplotsWords) {
  const auto svg = DrawSvg("set terminal svg\nplot no_such_thing(x)\n");
  ASSERT_FALSE(svg);
  EXPECT_THAT(svg.error().cause, HasSubstr("no_such_thing"));
}

}  // namespace
}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "review/visible.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MakeVisibleTest, SpellsOutWhatReordersOrIsNotSeen) {
  EXPECT_EQ(MakeVisible("a\u202Eb\u2069"), "a⟦U+202E⟧b⟦U+2069⟧");
  EXPECT_EQ(MakeVisible("\u200B\uFEFF\u00AD\uFE0F"), "⟦U+200B⟧⟦U+FEFF⟧⟦U+00AD⟧⟦U+FE0F⟧");
  EXPECT_EQ(MakeVisible("hidden \U000E0041\U000E0042"), "hidden ⟦U+E0041⟧⟦U+E0042⟧");
}

/// What reports hide, a dossier spells out: fillers, and characters that are none.
TEST(MakeVisibleTest, KnowsEveryCharacterThatReportsKnowAsInvisible) {
  EXPECT_EQ(MakeVisible("a\u3164\uFFA0\uFDD0b"), "a⟦U+3164⟧⟦U+FFA0⟧⟦U+FDD0⟧b");
  EXPECT_EQ(MakeVisible("\U0001BCA0\U0001D173\U0001FFFE"), "⟦U+1BCA0⟧⟦U+1D173⟧⟦U+1FFFE⟧");
}

TEST(MakeVisibleTest, SpellsOutControlsAndBytesThatAreNoText) {
  EXPECT_EQ(MakeVisible("\x1B[2J\x07"), "⟦U+001B⟧[2J⟦U+0007⟧");
  EXPECT_EQ(MakeVisible("\xC2\x9B"), "⟦U+009B⟧");
  EXPECT_EQ(MakeVisible("\xFFz\xE2\x82"), "⟦xff⟧z⟦xe2⟧⟦x82⟧");
  EXPECT_EQ(MakeVisible("\xED\xA0\x80"), "⟦xed⟧⟦xa0⟧⟦x80⟧");
  EXPECT_EQ(MakeVisible("a\rb"), "a⟦U+000D⟧b");
}

TEST(MakeVisibleTest, LeavesTextAndItsLinesAlone) {
  EXPECT_EQ(MakeVisible("x = ½;\n\ty\n"), "x = ½;\n\ty\n");
  EXPECT_EQ(MakeVisible("one\r\ntwo\r\n"), "one\ntwo\n");
  EXPECT_EQ(MakeVisible(""), "");
}

}  // namespace
}  // namespace assay

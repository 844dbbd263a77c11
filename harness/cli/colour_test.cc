// SPDX-License-Identifier: Apache-2.0
#include "cli/colour.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Colour, AutoGoesByTheTerminalAndItsVariables) {
  const TerminalFacts terminal{.is_terminal = true, .no_color = {}, .term = "xterm"};
  EXPECT_EQ(ChooseColour(WhenColour::kAuto, terminal), Colour::kOn);
  for (const TerminalFacts& without :
       {TerminalFacts{.is_terminal = false, .no_color = {}, .term = "xterm"},
        TerminalFacts{.is_terminal = true, .no_color = "1", .term = "xterm"},
        TerminalFacts{.is_terminal = true, .no_color = {}, .term = "dumb"},
        TerminalFacts{.is_terminal = true, .no_color = {}, .term = {}}}) {
    EXPECT_EQ(ChooseColour(WhenColour::kAuto, without), Colour::kOff);
    EXPECT_EQ(ChooseColour(WhenColour::kAlways, without), Colour::kOn);
  }
  EXPECT_EQ(ChooseColour(WhenColour::kNever, terminal), Colour::kOff);
}

// As no-color.org has it.
TEST(Colour, EmptyNoColorIsNone) {
  EXPECT_EQ(ChooseColour(WhenColour::kAuto, {.is_terminal = true, .no_color = "", .term = "xterm"}),
            Colour::kOn);
}

TEST(Colour, PaintedTextIsTheTextAndItsEndIsPlainAgain) {
  EXPECT_EQ(Paint(Colour::kOff, Tone::kBad, "wrong"), "wrong");
  EXPECT_EQ(Paint(Colour::kOn, Tone::kBad, "wrong"), "\x1b[31mwrong\x1b[0m");
  EXPECT_EQ(Paint(Colour::kOn, Tone::kGood, "right"), "\x1b[32mright\x1b[0m");
}

}  // namespace
}  // namespace assay

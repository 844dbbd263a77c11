// SPDX-License-Identifier: Apache-2.0
#include "cli/colour.h"

#include <fmt/format.h>

namespace assay {

Colour ChooseColour(WhenColour when, const TerminalFacts& facts) {
  if (when != WhenColour::kAuto) {
    return when == WhenColour::kAlways ? Colour::kOn : Colour::kOff;
  }
  const bool has_colours = facts.is_terminal && facts.no_color.value_or("").empty() &&
                           facts.term.value_or("dumb") != "dumb";
  return has_colours ? Colour::kOn : Colour::kOff;
}

std::string Paint(Colour colour, Tone tone, std::string_view text) {
  if (colour == Colour::kOff) {
    return std::string(text);
  }
  const int code = tone == Tone::kGood ? 32 : tone == Tone::kBad ? 31 : 2;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COLOUR_H_
#define ASSAY_CLI_COLOUR_H_

#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// Whether what a command prints may hold colours.
enum class Colour { kOff, kOn };

/// --color.
enum class WhenColour { kAuto, kAlways, kNever };

/// What a colour means.
enum class Tone { kGood, kBad, kFaint };

/// What --color=auto goes by.
struct TerminalFacts {
  bool is_terminal = false;             ///< What is printed to is one.
  std::optional<std::string> no_color;  ///< NO_COLOR: set and not empty, there are none.
  std::optional<std::string> term;      ///< TERM: `dumb` has none.
};
[[nodiscard]] Colour ChooseColour(WhenColour when, const TerminalFacts& facts);

/// `text` in that tone. Colour says nothing that the words do not.
[[nodiscard]] std::string Paint(Colour colour, Tone tone, std::string_view text);

}  // namespace assay

#endif  // ASSAY_CLI_COLOUR_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_PICTURE_H_
#define ASSAY_REPORT_PICTURE_H_

#include <string>
#include <vector>

#include "report/board.h"
#include "report/markdown.h"

/// Pictures of a board, as programs for gnuplot. Everything in a program is a number, a literal of
/// ours, or a name of which only letters, digits and a few signs are left: gnuplot runs commands
/// that stand in strings. Lines and letters are of a grey that is read on white and on black, the
/// background is none, and series differ in shape as well as in colour (Okabe and Ito 2008).
namespace assay {

struct Picture {
  std::string path;  ///< `pictures/<what>.svg`, relative to `reports/`, made of ids.
  std::string
      description;      ///< What it shows, for who does not see it; of our own words and titles.
  std::string program;  ///< Writes SVG to standard output. Equal boards give equal bytes.
  bool operator==(const Picture&) const = default;
};

/// Series of a picture are of so many models, the first in the ranking.
inline constexpr std::size_t kMostSeries = 6;
/// Rows of a map of models.
inline constexpr std::size_t kMostModelsMapped = 30;

/// Scores by dimension, times, the roofline of kernels, mutants and curves; none of what no cell
/// has.
[[nodiscard]] std::vector<Picture> PicturesOf(const ChallengeBoard& challenge);
/// The map of models and dimensions alone.
[[nodiscard]] std::vector<Picture> MapOf(const Board& board);
/// All of the board's: those of its challenges, and the map of models and dimensions.
[[nodiscard]] std::vector<Picture> PicturesOf(const Board& board);

/// The pictures as markdown, for a page in `reports/` or in a folder of it.
enum class PageDepth { kTop, kInFolder };
[[nodiscard]] Markdown PictureLinks(const std::vector<Picture>& pictures, PageDepth depth);

}  // namespace assay

#endif  // ASSAY_REPORT_PICTURE_H_

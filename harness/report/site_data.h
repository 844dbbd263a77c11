// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_SITE_DATA_H_
#define ASSAY_REPORT_SITE_DATA_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "report/board.h"

/// The data of the site (harness/site), which is nothing but the JSON of other commands in files
/// that a page opened from a disk can read: a script each, that hands one string of JSON to one
/// function.
///
///   data/board.js                         scores, ranks and rubrics of all, without rows
///   data/challenges/<challenge>.js        what pictures of the challenge show
///   data/cells/<challenge>/<model>.js     rows with the evidence behind each, the evidence, and
///                                         the ratio of each timed pair by run and block
///   data/models/<model>.js                what stands out in each of the model's cells
///   data/pairs/<a>/<b>.js                 who wins which row; `a` is the better in the ranking
namespace assay {

/// What each of them begins with, and no file that somebody else wrote.
inline constexpr std::string_view kSiteDataMark = "assaySiteData(";

/// Text of a submission is cut to so many bytes: names, and all else. Evidence has it whole.
inline constexpr std::size_t kLongestSiteName_bytes = 110;
inline constexpr std::size_t kLongestSiteText_bytes = 4000;

/// Of so many models at most the edges of every pair stand on the site, of more those of the
/// board's pairs. Pairs grow with the square: of 40 models 780, a file each, which one reads on
/// demand.
inline constexpr std::size_t kMostModelsWithAllPairs = 40;

/// Takes a file by path relative to the site, made of ids.
using SiteSink = std::function<Status(const std::string& path, const std::string& content)>;

/// Hands every file to `sink`, board.js last, so that what it leads to is there; stops at the first
/// error of the sink. Equal boards give equal bytes. Of texts nothing is left that reorders, hides
/// or ends anything: PlainLines of each, and no `<` as such in a file.
[[nodiscard]] Status RenderSiteData(const Board& board, const SiteSink& sink);

/// A call of the page's function with `name` (made of ids) and the document as a string literal.
[[nodiscard]] std::string SiteScript(std::string_view name, std::string_view json);

}  // namespace assay

#endif  // ASSAY_REPORT_SITE_DATA_H_

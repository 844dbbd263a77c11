// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_PLOT_H_
#define ASSAY_EXEC_PLOT_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace assay {

/// Whether gnuplot is installed. Reports do without it: they keep the pictures they have.
[[nodiscard]] bool HasGnuplot();

/// What gnuplot writes for `program`, which is ours and holds no text of a submission but names of
/// plain characters (report/picture.h): an SVG file without its XML declaration. gnuplot reads no
/// settings of the user's. An error of kind kConfiguration carries gnuplot's words.
[[nodiscard]] Result<std::string> DrawSvg(std::string_view program);

}  // namespace assay

#endif  // ASSAY_EXEC_PLOT_H_

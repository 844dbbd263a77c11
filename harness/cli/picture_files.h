// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PICTURE_FILES_H_
#define ASSAY_CLI_PICTURE_FILES_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "report/picture.h"
#include "report/report.h"

namespace assay {

/// Who draws: a function from a program to SVG. None: nobody does, and pictures stay as they are.
using Draw = std::function<Result<std::string>(std::string_view program)>;
/// gnuplot's, where it is installed.
[[nodiscard]] Draw InstalledDraw();

/// The first line of a picture's file: reports' mark, and the SHA-256 of the program it was drawn
/// by. So a picture is known to be that of the evidence whichever gnuplot drew it.
[[nodiscard]] std::string StampOf(const Picture& picture);

/// The files of `pictures` as they should be below `root`/reports. One with the right stamp is
/// taken as it is, others are drawn. Where nobody draws, or drawing fails, one of another stamp
/// stays, one that is not there stays away, and `undrawn` has its path.
struct PictureFiles {
  RenderedFiles files;
  std::vector<std::string> undrawn;
  Errors errors;  ///< Of drawing.
};
[[nodiscard]] PictureFiles MakePictureFiles(const std::filesystem::path& root,
                                            const std::vector<Picture>& pictures, const Draw& draw);

/// Says on the error stream which pictures were not drawn, and why, where the format is text: a
/// command's one document says so itself. The exit code of that.
[[nodiscard]] int TellUndrawn(const PictureFiles& pictures, OutputFormat format,
                              const std::filesystem::path& root, Console& console);

/// What `report --check` asks: the files as they are; one of another stamp is its stamp alone, and
/// so differs. So is one that is not there; but where nobody draws it stays away, as it would with
/// MakePictureFiles, and `undrawn` has its path.
[[nodiscard]] PictureFiles ExpectedPictureFiles(const std::filesystem::path& root,
                                                const std::vector<Picture>& pictures,
                                                const Draw& draw);

}  // namespace assay

#endif  // ASSAY_CLI_PICTURE_FILES_H_

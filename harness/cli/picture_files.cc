// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_files.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <optional>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "cli/exit_code.h"
#include "exec/plot.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// What lies there; nothing where no regular file does.
std::optional<std::string> Present(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored))) {
    return std::nullopt;
  }
  auto content = ReadFile(file);
  return content ? std::optional(*std::move(content)) : std::nullopt;
}

}  // namespace

Draw InstalledDraw() { return HasGnuplot() ? Draw(&DrawSvg) : Draw(); }

std::string StampOf(const Picture& picture) {
  return fmt::format("{} from {} -->\n", kReportMark, Sha256(picture.program));
}

PictureFiles MakePictureFiles(const fs::path& root, const std::vector<Picture>& pictures,
                              const Draw& draw) {
  PictureFiles made;
  for (const Picture& picture : pictures) {
    const std::string stamp = StampOf(picture);
    std::optional<std::string> content = Present(root / "reports" / picture.path);
    if (!content || !content->starts_with(stamp)) {
      const auto drawn = draw ? draw(picture.program) : Result<std::string>();
      if (draw && drawn) {
        content = stamp + *drawn;
      } else {
        made.undrawn.push_back(picture.path);
        if (draw) {
          Error error = drawn.error();
          error.where = picture.path;
          made.errors.push_back(std::move(error));
        }
      }
    }
    if (content) {
      made.files[picture.path] = *std::move(content);
    }
  }
  return made;
}

int TellUndrawn(const PictureFiles& pictures, OutputFormat format, const fs::path& root,
                Console& console) {
  if (format == OutputFormat::kJson) {
    return static_cast<int>(pictures.errors.empty() ? ExitCode::kDone
                                                    : ExitCodeOf(pictures.errors.front().kind));
  }
  if (pictures.errors.empty() && !pictures.undrawn.empty()) {
    fmt::print(console.err,
               "assay: {} of reports/pictures/ {} not drawn, since gnuplot is not installed; "
               "install it (apt-get install gnuplot-nox), then run assay report\n",
               pictures.undrawn.size(), pictures.undrawn.size() == 1 ? "is" : "are");
  }
  return pictures.errors.empty() ? 0 : Fail(console, format, root, pictures.errors);
}

PictureFiles ExpectedPictureFiles(const fs::path& root, const std::vector<Picture>& pictures,
                                  const Draw& draw) {
  PictureFiles expected;
  for (const Picture& picture : pictures) {
    std::string stamp = StampOf(picture);
    std::optional<std::string> content = Present(root / "reports" / picture.path);
    if (!content && !draw) {
      expected.undrawn.push_back(picture.path);
      continue;
    }
    expected.files[picture.path] =
        content && content->starts_with(stamp) ? *std::move(content) : std::move(stamp);
  }
  return expected;
}

}  // namespace assay

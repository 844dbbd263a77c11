// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/reports.h"
#include "exec/site_files.h"
#include "report/board.h"
#include "report/site_data.h"

namespace assay {
namespace {

/// What harness/site is built to: the same files whatever the evidence.
constexpr std::array<std::string_view, 4> kPageFiles = {"index.html", "app.css", "app.js",
                                                        "app.js.LEGAL.txt"};

/// Whether the page was built; if not, how it is.
Status CheckPage(const std::filesystem::path& page, InstallationKind installation) {
  std::error_code ignored;
  for (const std::string_view file : kPageFiles) {
    if (!std::filesystem::is_regular_file(page / file, ignored)) {
      return std::unexpected(Error{
          .kind = ErrorKind::kConfiguration,
          .where = (page / file).string(),
          .cause = "is not there: the page of the site is built where node and npm are, and they "
                   "were not, or npm could not fetch what the page is made of",
          .remedy = installation == InstallationKind::kPackage
                        ? "install a package that was built where node and npm are"
                        : "run scripts/setup --site, then scripts/build release assay_site"});
    }
  }
  return {};
}

Result<SiteChanges> WriteSite(const ReportInputs& inputs, const std::filesystem::path& page,
                              const std::filesystem::path& directory) {
  ASSAY_ASSIGN_OR_RETURN(SiteFolder site, SiteFolder::Open(directory, kSiteDataMark));
  for (const std::string_view file : kPageFiles) {
    ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(page / file));
    ASSAY_RETURN_IF_ERROR(site.Write(std::string(file), content));
  }
  const Board board =
      MakeBoard(inputs.cells, inputs.challenges, inputs.asked_pairs, UnsoundCellsOf(inputs));
  ASSAY_RETURN_IF_ERROR(
      RenderSiteData(board, [&site](const std::string& path, const std::string& content) {
        return site.Write(path, content);
      }));
  return site.RemoveStale();
}

}  // namespace

int RunSite(const SiteOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const std::filesystem::path page =
      options.page.value_or(place->installation.build / "harness" / "site" / "page");
  if (const Status built = CheckPage(page, place->installation.kind); !built) {
    return Fail(console, format, {}, {built.error()});
  }
  const auto inputs = ReadReportInputs(*place);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const auto changes = WriteSite(*inputs, page, options.directory);
  if (!changes) {
    return Fail(console, format, {}, {changes.error()});
  }
  const std::string index = (options.directory / "index.html").string();
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"page", index},
                         {"files", changes->files},
                         {"written", changes->written},
                         {"removed", changes->removed}});
  } else {
    fmt::print(console.out, "{}: {} of {} files changed, {} removed; open it in a browser\n", index,
               changes->written, changes->files, changes->removed);
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
// libFuzzer: an archive, whatever it is made of, becomes files of a submission or one error that
// can be printed, and nothing is written anywhere.
//
// Input: a byte that chooses the ending of its name, then the archive.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/answer_checks.h"
#include "cli/answer_reader.h"
#include "fuzz/fuzz_input.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"answer.tar", "answer.tar.gz", "answer.zip"};

void ReadArchive(fuzz::FuzzInput input) {
  static const TemporaryDirectory folder =
      TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "fuzz").value();
  const std::filesystem::path path =
      folder.path() / kNames[input.Number<std::uint8_t>() % kNames.size()];
  std::ofstream(path, std::ios::binary) << input.Rest();
  auto answer = ReadAnswer(path, folder.path());
  const auto again = ReadAnswer(path, folder.path());
  fuzz::Require(
      answer.has_value() == again.has_value() && (!answer || answer->files == again->files),
      "an archive reads the same twice");
  std::filesystem::remove(path);
  fuzz::Require(std::filesystem::is_empty(folder.path()), "nothing of an archive is written");
  if (answer) {
    CheckFiles(std::move(answer->files));
  } else {
    CheckFiles(std::unexpected(answer.error()));
  }
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::ReadArchive(assay::fuzz::FuzzInput(data, size));
  return 0;
}

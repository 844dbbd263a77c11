// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/program_libraries.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "cudart/runtime/lacking_libraries.h"

namespace assay::gpu {
namespace {

namespace fs = std::filesystem;
using runtime::FindLackingLibrary;
using runtime::IsFunctionOf;
using runtime::LackingLibrary;

/// Reads parts of a file that a compiler, or anybody, wrote: what lies outside of it is empty.
class ElfFile {
 public:
  explicit ElfFile(const fs::path& file) : stream_(file, std::ios::binary) {
    std::error_code failure;
    size_bytes_ = fs::file_size(file, failure);
    if (failure) {
      size_bytes_ = 0;
    }
  }

  template <class T>
  std::vector<T> Read(std::uint64_t offset, std::uint64_t bytes) {
    if (offset > size_bytes_ || bytes > size_bytes_ - offset) {
      return {};
    }
    std::vector<T> values(bytes / sizeof(T));
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(T)));
    return stream_ ? values : std::vector<T>{};
  }

 private:
  std::ifstream stream_;
  std::uint64_t size_bytes_ = 0;
};

std::string TextAt(const std::vector<char>& table, std::uint64_t at) {
  if (at >= table.size()) {
    return "";
  }
  const auto start = table.begin() + static_cast<std::ptrdiff_t>(at);
  return {start, std::find(start, table.end(), '\0')};
}

/// The folders of a list as the loader takes them, for a file that lies in `origin`.
std::vector<fs::path> FoldersOf(std::string_view list, const fs::path& origin) {
  std::vector<fs::path> folders;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    std::string folder(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    for (const std::string_view name : {"$ORIGIN", "${ORIGIN}"}) {
      if (folder.starts_with(name)) {
        folder.replace(0, name.size(), origin.string());
      }
    }
    folders.emplace_back(folder.empty() ? "." : folder);
  }
  return folders;
}

/// The library that `asking` means by `file`, where it is the user's own; else empty.
fs::path FindOwn(const std::string& file, const fs::path& asking,
                 const std::vector<std::string>& search_paths) {
  const fs::path origin = fs::absolute(asking).parent_path();
  std::vector<std::string> lists = search_paths;
  if (const char* const more = std::getenv("LD_LIBRARY_PATH")) {
    lists.emplace_back(more);
  }
  std::error_code failure;
  if (file.contains('/')) {
    return fs::is_regular_file(file, failure) ? fs::path(file) : fs::path();
  }
  for (const std::string& list : lists) {
    for (const fs::path& folder : FoldersOf(list, origin)) {
      if (fs::is_regular_file(folder / file, failure)) {
        return folder / file;
      }
    }
  }
  return {};
}

/// How a file that needs `library` as `file` uses it, and what to do then; nothing where it does
/// not. Many a makefile names cuRAND for the sake of its device functions, which are in its
/// headers. The driver's library is of the driver alone: where there is none, the loader ends a
/// program that is linked with it.
std::optional<std::string> UseOf(const LackingLibrary& library, std::string_view file,
                                 const std::vector<std::string>& undefined) {
  const auto called = std::ranges::find_if(
      undefined, [&](const std::string& name) { return IsFunctionOf(library, name); });
  if (called != undefined.end()) {
    return fmt::format(
        "calls {} of {}, and was not started; run it on a GPU, or put kernels of its own in the "
        "place of these calls",
        *called, file);
  }
  if (FindLackingLibrary("libcuda.so.1") != &library) {
    return std::nullopt;
  }
  return fmt::format(
      "is linked with {}, and was not started; leave the library out, since nothing of it is "
      "called",
      file);
}

}  // namespace

ProgramLibraries ReadProgramLibraries(const fs::path& program) {
  ProgramLibraries libraries;
  ElfFile file(program);
  const auto heads = file.Read<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  constexpr int kOurOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (heads.empty() || std::memcmp(heads.front().e_ident, ELFMAG, SELFMAG) != 0 ||
      heads.front().e_ident[EI_CLASS] != ELFCLASS64 ||
      heads.front().e_ident[EI_DATA] != kOurOrder ||
      heads.front().e_shentsize != sizeof(Elf64_Shdr)) {
    return libraries;
  }
  const auto sections = file.Read<Elf64_Shdr>(
      heads.front().e_shoff, std::uint64_t{heads.front().e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_type != SHT_DYNAMIC && section.sh_type != SHT_DYNSYM) ||
        section.sh_link >= sections.size()) {
      continue;
    }
    const Elf64_Shdr& names = sections[section.sh_link];
    const auto text = file.Read<char>(names.sh_offset, names.sh_size);
    if (section.sh_type == SHT_DYNAMIC) {
      for (const auto& entry : file.Read<Elf64_Dyn>(section.sh_offset, section.sh_size)) {
        if (entry.d_tag == DT_NEEDED) {
          libraries.needed.push_back(TextAt(text, entry.d_un.d_val));
        } else if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
          libraries.search_paths.push_back(TextAt(text, entry.d_un.d_val));
        }
      }
    } else {
      for (const auto& symbol : file.Read<Elf64_Sym>(section.sh_offset, section.sh_size)) {
        if (symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0) {
          libraries.undefined.push_back(TextAt(text, symbol.st_name));
        }
      }
    }
  }
  return libraries;
}

std::vector<std::string> LackingLibrariesOf(const fs::path& program) {
  std::vector<std::string> sentences;
  std::set<std::string_view> named;
  std::set<fs::path> seen = {program};
  std::deque<fs::path> queue = {program};
  for (; !queue.empty(); queue.pop_front()) {
    const fs::path& asking = queue.front();
    const ProgramLibraries libraries = ReadProgramLibraries(asking);
    for (const std::string& file : libraries.needed) {
      const LackingLibrary* const library = FindLackingLibrary(file);
      if (library == nullptr) {
        const fs::path own = FindOwn(file, asking, libraries.search_paths);
        if (!own.empty() && seen.insert(own).second) {
          queue.push_back(own);
        }
      } else if (const auto use = UseOf(*library, file, libraries.undefined);
                 use && named.insert(library->name).second) {
        sentences.push_back(fmt::format(
            "the emulated GPU has no {}: the program{} {}", library->name,
            asking == program ? "" : fmt::format("'s {}", asking.filename().string()), *use));
      }
    }
  }
  return sentences;
}

}  // namespace assay::gpu

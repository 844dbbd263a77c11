// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/program_libraries.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "gpu/runtime/lacking_libraries.h"

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
  const ProgramLibraries libraries = ReadProgramLibraries(program);
  std::vector<std::string> sentences;
  std::set<std::string_view> named;
  for (const std::string& file : libraries.needed) {
    const LackingLibrary* const library = FindLackingLibrary(file);
    if (library == nullptr || named.contains(library->name)) {
      continue;
    }
    const auto called = std::ranges::find_if(
        libraries.undefined, [&](const std::string& name) { return IsFunctionOf(*library, name); });
    // Many a makefile names cuRAND for the sake of its device functions, which are in its headers.
    // The driver's library is of the driver alone: where there is none, the loader ends a program
    // that is linked with it.
    const bool is_called = called != libraries.undefined.end();
    if (!is_called && FindLackingLibrary("libcuda.so.1") != library) {
      continue;
    }
    named.insert(library->name);
    sentences.push_back(fmt::format(
        "the emulated GPU has no {}: the program {} {}, and was not started; {}", library->name,
        is_called ? fmt::format("calls {} of", *called) : "is linked with", file,
        is_called ? "run it on a GPU, or put kernels of its own in the place of these calls"
                  : "leave the library out, since nothing of it is called"));
  }
  return sentences;
}

}  // namespace assay::gpu

// SPDX-License-Identifier: Apache-2.0
#include "build/entry_points.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace assay {
namespace {

template <class T>
std::optional<T> At(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view StringAt(std::string_view bytes, std::uint64_t table, std::uint64_t offset) {
  if (table > bytes.size() || offset > bytes.size() - table) {
    return {};
  }
  const std::string_view rest = bytes.substr(table + offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

std::optional<Elf64_Shdr> SectionAt(std::string_view elf, const Elf64_Ehdr& header,
                                    std::uint32_t index) {
  if (header.e_shoff > elf.size()) {
    return std::nullopt;
  }
  return At<Elf64_Shdr>(elf, header.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr));
}

void AddSymbols(std::string_view elf, const Elf64_Shdr& table, std::uint64_t strings,
                std::set<std::string, std::less<>>& names) {
  if (table.sh_offset > elf.size()) {
    return;
  }
  const std::uint64_t size = std::min<std::uint64_t>(table.sh_size, elf.size() - table.sh_offset);
  for (std::uint64_t at = 0; at < size; at += sizeof(Elf64_Sym)) {
    const auto symbol = At<Elf64_Sym>(elf, table.sh_offset + at);
    if (symbol && symbol->st_shndx != SHN_UNDEF) {
      if (const std::string_view name = StringAt(elf, strings, symbol->st_name); !name.empty()) {
        names.emplace(name);
      }
    }
  }
}

/// Whether a function of C++ with that name is there, in whatever namespace.
bool IsMangled(const std::string& name, const std::set<std::string, std::less<>>& defined) {
  const std::string part = fmt::format("{}{}", name.size(), name);
  return std::ranges::any_of(defined, [&](const std::string& symbol) {
    return symbol.starts_with("_Z") && symbol.find(part) != std::string::npos;
  });
}

}  // namespace

std::set<std::string, std::less<>> DefinedSymbols(std::string_view elf) {
  std::set<std::string, std::less<>> names;
  const auto header = At<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return names;
  }
  for (std::uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto section = SectionAt(elf, *header, i);
    if (!section || section->sh_type != SHT_SYMTAB) {
      continue;
    }
    if (const auto strings = SectionAt(elf, *header, section->sh_link)) {
      AddSymbols(elf, *section, strings->sh_offset, names);
    }
  }
  return names;
}

MissingEntryPoints FindMissing(const std::vector<std::string>& required,
                               const std::set<std::string, std::less<>>& defined) {
  std::vector<std::string> missing;
  std::vector<std::string> mangled;
  for (const std::string& name : required) {
    if (!defined.contains(name)) {
      (IsMangled(name, defined) ? mangled : missing).push_back(name);
    }
  }
  std::vector<std::string> parts;
  if (!mangled.empty()) {
    parts.push_back(
        fmt::format("{} defined as C++: include interface.h there, or write extern \"C\"",
                    Join(mangled, ", ")));
  }
  if (!missing.empty()) {
    parts.push_back(fmt::format("{} defined nowhere", Join(missing, ", ")));
  }
  return {.all = !required.empty() && missing.size() + mangled.size() == required.size(),
          .description =
              parts.empty() ? "" : "required entry points are missing: " + Join(parts, "; ")};
}

}  // namespace assay

// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin/cubin.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cudart/fatbin/bytes.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kElfMagic = 0x464c457fU;  // "\x7fELF"
constexpr std::uint8_t kElfClass64 = 2;
constexpr std::uint64_t kSectionHeaderBytes = 64;
constexpr std::uint32_t kSectionSymbols = 2;  // SHT_SYMTAB
constexpr std::uint32_t kSectionNoBits = 8;   // SHT_NOBITS
constexpr std::uint64_t kSymbolBytes = 24;

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::span<const std::byte> content;
};

Error Fault(std::string cause) {
  return {.kind = ErrorKind::kConfiguration,
          .where = "cubin",
          .cause = std::move(cause),
          .remedy = "compile it again with nvcc 11.8 to 13"};
}

// Names may overlap: were they of any length, a small file could hold gigabytes of them.
std::string_view NameAt(std::span<const std::byte> names, std::uint64_t offset) {
  static constexpr std::uint64_t kMostBytes = 4096;
  return offset < names.size()
             ? TextAt(names.subspan(offset, std::min(kMostBytes, names.size() - offset)), 0)
             : std::string_view();
}

Result<std::vector<Section>> ReadSections(std::span<const std::byte> elf) {
  if (ReadAt<std::uint32_t>(elf, 0) != kElfMagic || ReadAt<std::uint8_t>(elf, 4) != kElfClass64) {
    return std::unexpected(Fault("it is no ELF file of 64 bits"));
  }
  const auto offset = ReadAt<std::uint64_t>(elf, 40);
  const auto count = ReadAt<std::uint16_t>(elf, 60);
  const auto names_index = ReadAt<std::uint16_t>(elf, 62);
  const auto headers = Slice(elf, offset, kSectionHeaderBytes * count);
  if (!headers || ReadAt<std::uint16_t>(elf, 58) != kSectionHeaderBytes) {
    return std::unexpected(Fault("its table of sections reaches past the end"));
  }
  std::vector<Section> sections(count);
  std::vector<std::uint32_t> name_offsets(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto header = headers->subspan(i * kSectionHeaderBytes, kSectionHeaderBytes);
    Section& section = sections[i];
    name_offsets[i] = ReadAt<std::uint32_t>(header, 0);
    section.type = ReadAt<std::uint32_t>(header, 4);
    section.size_bytes = ReadAt<std::uint64_t>(header, 32);
    section.link = ReadAt<std::uint32_t>(header, 40);
    section.info = ReadAt<std::uint32_t>(header, 44);
    if (section.type == kSectionNoBits) {
      continue;
    }
    const auto content = Slice(elf, ReadAt<std::uint64_t>(header, 24), section.size_bytes);
    if (!content) {
      return std::unexpected(Fault("its section " + std::to_string(i) + " reaches past the end"));
    }
    section.content = *content;
  }
  if (names_index < count) {
    for (std::size_t i = 0; i < count; ++i) {
      sections[i].name = NameAt(sections[names_index].content, name_offsets[i]);
    }
  }
  return sections;
}

std::optional<std::string_view> Behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  return name.substr(prefix.size());
}

const Section* FindSection(const std::vector<Section>& sections, std::string_view name) {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

// The symbols of a cubin, and the names that they are by.
class Symbols {
 public:
  explicit Symbols(const std::vector<Section>& sections) {
    const auto found = std::ranges::find(sections, kSectionSymbols, &Section::type);
    if (found != sections.end() && found->link < sections.size()) {
      symbols_ = found->content;
      names_ = sections[found->link].content;
    }
  }

  [[nodiscard]] std::string_view Name(std::uint32_t index) const {
    const std::uint64_t at = std::uint64_t{index} * kSymbolBytes;
    return at < symbols_.size() ? NameAt(names_, ReadAt<std::uint32_t>(symbols_, at))
                                : std::string_view();
  }

 private:
  std::span<const std::byte> symbols_;
  std::span<const std::byte> names_;
};

// Section .nv.info is a list of attributes: a byte of format, a byte of attribute, two bytes that
// are the value or, in format 4, the length of the value behind them.
void ReadAttributes(const Symbols& symbols, std::span<const std::byte> info,
                    ResourcesByKernel& resources) {
  static constexpr std::uint8_t kFormatSized = 4;
  static constexpr std::uint8_t kFrameSize = 0x11;      // EIATTR_FRAME_SIZE: symbol, bytes
  static constexpr std::uint8_t kRegisterCount = 0x2f;  // EIATTR_REGCOUNT: symbol, registers
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = ReadAt<std::uint8_t>(info, at);
    const auto attribute = ReadAt<std::uint8_t>(info, at + 1);
    const std::uint16_t size =
        format == kFormatSized ? ReadAt<std::uint16_t>(info, at + 2) : std::uint16_t{0};
    if (attribute == kFrameSize || attribute == kRegisterCount) {
      const auto kernel = resources.find(symbols.Name(ReadAt<std::uint32_t>(info, at + 4)));
      const auto value = ReadAt<std::uint32_t>(info, at + 8);
      if (kernel != resources.end()) {
        auto& field =
            attribute == kFrameSize ? kernel->second.local_bytes : kernel->second.registers;
        field = value;
      }
    }
    at += 4U + size;
  }
}

}  // namespace

Result<ResourcesByKernel> ReadCubin(std::span<const std::byte> elf) {
  ASSAY_ASSIGN_OR_RETURN(const std::vector<Section> sections, ReadSections(elf));
  // From sm_90 on, the shared memory of a kernel begins with a kilobyte that is not the kernel's.
  static constexpr std::uint64_t kReservedSharedBytes = 1024;
  const bool reserves = FindSection(sections, ".nv.shared.reserved.0") != nullptr;
  ResourcesByKernel resources;
  for (const Section& section : sections) {
    if (const auto kernel = Behind(section.name, ".text.")) {
      resources[std::string(*kernel)].registers = section.info >> 24U;
    }
  }
  for (const Section& section : sections) {
    const auto shared = Behind(section.name, ".nv.shared.");
    const auto constant = Behind(section.name, ".nv.constant0.");
    const auto kernel = resources.find(shared ? *shared : constant.value_or(std::string_view()));
    if (kernel == resources.end()) {
      continue;
    }
    if (constant) {
      kernel->second.constant_bytes = section.size_bytes;
    } else {
      const std::uint64_t reserved = reserves ? kReservedSharedBytes : 0;
      kernel->second.static_shared_bytes =
          section.size_bytes - std::min(section.size_bytes, reserved);
    }
  }
  if (const Section* const info = FindSection(sections, ".nv.info")) {
    ReadAttributes(Symbols(sections), info->content, resources);
  }
  return resources;
}

}  // namespace assay::gpu

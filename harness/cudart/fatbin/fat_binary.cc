// SPDX-License-Identifier: Apache-2.0
#include "cudart/fatbin/fat_binary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "cudart/fatbin/bytes.h"
#include "cudart/fatbin/unpack.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50U;
constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint64_t kMaxFatBinaryBytes = std::uint64_t{4} << 30U;

constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint16_t kKindElf = 2;
constexpr std::uint64_t kEntryHeaderBytes = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;

// The header of an entry, by the offsets of its fields.
struct EntryHeader {
  explicit EntryHeader(std::span<const std::byte> at)
      : kind(ReadAt<std::uint16_t>(at, 0)),
        header_bytes(ReadAt<std::uint32_t>(at, 4)),
        payload_bytes(ReadAt<std::uint64_t>(at, 8)),
        packed_bytes(ReadAt<std::uint32_t>(at, 16)),
        minor_version(ReadAt<std::uint16_t>(at, 24)),
        major_version(ReadAt<std::uint16_t>(at, 26)),
        arch(ReadAt<std::uint32_t>(at, 28)),
        name_offset(ReadAt<std::uint32_t>(at, 32)),
        name_bytes(ReadAt<std::uint32_t>(at, 36)),
        flags(ReadAt<std::uint64_t>(at, 40)),
        unpacked_bytes(ReadAt<std::uint64_t>(at, 56)) {}

  std::uint16_t kind;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;  // With what pads it.
  std::uint32_t packed_bytes;
  std::uint16_t minor_version;  // Of PTX: its `.version`.
  std::uint16_t major_version;
  std::uint32_t arch;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t unpacked_bytes;
};

/// Whether an entry lies in what is left.
bool Fits(const EntryHeader& header, std::span<const std::byte> rest) {
  return header.header_bytes >= kEntryHeaderBytes && header.header_bytes <= rest.size() &&
         header.payload_bytes <= rest.size() - header.header_bytes;
}

Error Fault(std::string cause) {
  return {.kind = ErrorKind::kConfiguration,
          .where = "fat binary",
          .cause = std::move(cause),
          .remedy = "compile it again with nvcc 11.8 to 13"};
}

class FatBinaryReader {
 public:
  Result<FatBinary> Read(std::span<const std::byte> entries) {
    for (std::uint64_t at = 0; at < entries.size();) {
      const auto rest = entries.subspan(at);
      const EntryHeader header(rest);
      const std::string entry = "entry at byte " + std::to_string(at + kHeaderBytes);
      if (!Fits(header, rest)) {
        return std::unexpected(Fault(entry + " reaches past the end"));
      }
      const auto name =
          Slice(rest.first(header.header_bytes), header.name_offset, header.name_bytes);
      const auto payload = rest.subspan(header.header_bytes, header.payload_bytes);
      if (header.kind == kKindPtx || header.kind == kKindElf) {
        ASSAY_RETURN_IF_ERROR(
            Add(header, name.value_or(std::span<const std::byte>()), payload, entry));
      }
      at += header.header_bytes + header.payload_bytes;
    }
    return std::move(binary_);
  }

 private:
  Status Add(const EntryHeader& header, std::span<const std::byte> name,
             std::span<const std::byte> payload, const std::string& entry) {
    std::vector<std::byte> unpacked;
    if ((header.flags & (kFlagLz4 | kFlagZstd)) == 0) {
      unpacked_bytes_ += payload.size();
      ASSAY_RETURN_IF_ERROR(CheckLimit(entry));
      unpacked.assign(payload.begin(), payload.end());
    } else {
      unpacked_bytes_ += std::min<std::uint64_t>(header.unpacked_bytes, kMaxUnpackedBytes + 1);
      ASSAY_RETURN_IF_ERROR(CheckLimit(entry));
      const auto packed = Slice(payload, 0, header.packed_bytes);
      const bool is_zstd = (header.flags & kFlagZstd) != 0;
      auto result = !packed   ? std::nullopt
                    : is_zstd ? UnpackZstd(*packed, header.unpacked_bytes)
                              : UnpackLz4(*packed, header.unpacked_bytes);
      if (!result) {
        return std::unexpected(
            Fault(entry + " is damaged: it does not unpack (" + (is_zstd ? "zstd" : "LZ4") +
                  ") to the " + std::to_string(header.unpacked_bytes) + " bytes that it promises"));
      }
      unpacked = std::move(*result);
    }
    FatEntry added;
    added.kind = header.kind == kKindPtx ? FatEntry::Kind::kPtx : FatEntry::Kind::kElf;
    added.arch = header.arch;
    added.source_name = TextAt(name, 0);
    if (added.kind == FatEntry::Kind::kPtx) {
      added.ptx = TextAt(unpacked, 0);
    } else {
      added.elf = std::move(unpacked);
    }
    binary_.entries.push_back(std::move(added));
    return {};
  }

  Status CheckLimit(const std::string& entry) const {
    if (unpacked_bytes_ > kMaxUnpackedBytes) {
      return std::unexpected(Fault(entry + " takes the fat binary past " +
                                   std::to_string(kMaxUnpackedBytes >> 20U) +
                                   " MiB of unpacked code"));
    }
    return {};
  }

  FatBinary binary_;
  std::uint64_t unpacked_bytes_ = 0;
};

}  // namespace

Result<std::size_t> FatBinarySize(const void* data) {
  if (data == nullptr) {
    return std::unexpected(Fault("there is none: the pointer to it is null"));
  }
  const std::span header(static_cast<const std::byte*>(data), kHeaderBytes);
  const auto magic = ReadAt<std::uint32_t>(header, 0);
  const auto version = ReadAt<std::uint16_t>(header, 4);
  const auto header_bytes = ReadAt<std::uint16_t>(header, 6);
  const auto entry_bytes = ReadAt<std::uint64_t>(header, 8);
  if (magic != kMagic || version != 1 || header_bytes != kHeaderBytes) {
    return std::unexpected(Fault("its header is not that of a fat binary of version 1"));
  }
  if (entry_bytes > kMaxFatBinaryBytes) {
    return std::unexpected(
        Fault("its header promises " + std::to_string(entry_bytes) + " bytes of entries"));
  }
  return kHeaderBytes + entry_bytes;
}

Result<FatBinary> ReadFatBinary(std::span<const std::byte> data) {
  if (data.size() < kHeaderBytes) {
    return std::unexpected(
        Fault("it has " + std::to_string(data.size()) + " bytes, fewer than its header"));
  }
  ASSAY_ASSIGN_OR_RETURN(const std::size_t size, FatBinarySize(data.data()));
  if (size > data.size()) {
    return std::unexpected(Fault("it is cut off: its header promises " + std::to_string(size) +
                                 " bytes, and there are " + std::to_string(data.size())));
  }
  return FatBinaryReader().Read(data.first(size).subspan(kHeaderBytes));
}

Result<FatBinary> ReadFatBinary(const void* data) {
  ASSAY_ASSIGN_OR_RETURN(const std::size_t size, FatBinarySize(data));
  return ReadFatBinary(std::span(static_cast<const std::byte*>(data), size));
}

std::optional<PtxVersion> HighestPtxVersion(const void* data) {
  const auto size = FatBinarySize(data);
  if (!size) {
    return std::nullopt;
  }
  std::optional<PtxVersion> highest;
  auto rest = std::span(static_cast<const std::byte*>(data), *size).subspan(kHeaderBytes);
  while (!rest.empty()) {
    const EntryHeader header(rest);
    if (!Fits(header, rest)) {
      break;
    }
    const PtxVersion version{.major = header.major_version, .minor = header.minor_version};
    if (header.kind == kKindPtx && (!highest || version > *highest)) {
      highest = version;
    }
    rest = rest.subspan(header.header_bytes + header.payload_bytes);
  }
  return highest;
}

Result<const FatEntry*> ChoosePtx(const FatBinary& binary, std::uint32_t arch) {
  const FatEntry* best = nullptr;
  std::string above;
  for (const FatEntry& entry : binary.entries) {
    if (entry.kind != FatEntry::Kind::kPtx) {
      continue;
    }
    if (entry.arch > arch) {
      above += " compute_" + std::to_string(entry.arch);
    } else if (best == nullptr || entry.arch > best->arch) {
      best = &entry;
    }
  }
  if (best != nullptr) {
    return best;
  }
  const auto refused = [&](std::string cause) {
    const std::string own = "arch=compute_" + std::to_string(above.empty() ? 80 : arch);
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = "fat binary",
              .cause = std::move(cause),
              .remedy = "compile with -gencode " + own + ",code" + own.substr(own.find('='))});
  };
  if (!above.empty()) {
    return refused("no kernel image for this GPU, which is sm_" + std::to_string(arch) +
                   ": the PTX is for" + above);
  }
  std::string has = binary.entries.empty() ? "no code at all" : "machine code alone, of";
  for (const FatEntry& entry : binary.entries) {
    has += " sm_" + std::to_string(entry.arch);
  }
  return refused("it has no PTX but " + has + ", and the emulated GPU runs PTX");
}

}  // namespace assay::gpu

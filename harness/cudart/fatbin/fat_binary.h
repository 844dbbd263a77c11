// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_FATBIN_FAT_BINARY_H_
#define ASSAY_CUDART_FATBIN_FAT_BINARY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace assay::gpu {

/// What all entries of one fat binary may have together once unpacked.
inline constexpr std::size_t kMaxUnpackedBytes = std::size_t{512} << 20U;

/// One program in a fat binary.
struct FatEntry {
  enum class Kind : std::uint8_t { kPtx, kElf };
  Kind kind = Kind::kPtx;
  std::uint32_t arch = 0;           ///< 80: compute_80 of PTX, sm_80 of ELF.
  std::string source_name = {};     ///< `kernel.cu`; empty when nvcc did not write it.
  std::string ptx = {};             ///< Of kPtx: the text, without the zeros behind it.
  std::vector<std::byte> elf = {};  ///< Of kElf: the cubin.
};

struct FatBinary {
  std::vector<FatEntry> entries = {};  ///< In the order of the file.
};

/// Reads what nvcc 11.8 to 13 put into `.nv_fatbin` and `nvcc -fatbin` writes; `data` may go on
/// behind it. Unpacks zstd (`--compress-mode=size`, `balance`, the default) and LZ4
/// (`--compress-mode=speed`, nvcc before 12). Entries of other kinds than PTX and ELF are left out.
/// Pure and thread-safe. Errors: a layout that is none, lengths past the end of `data`, payloads
/// that do not unpack to what they promise, or unpack to more than kMaxUnpackedBytes.
/// Source: the bytes that nvcc 13.0 writes (no document gives the layout).
[[nodiscard]] Result<FatBinary> ReadFatBinary(std::span<const std::byte> data);

/// The size in bytes of the fat binary at `data`, from its own header: what a program hands to
/// __cudaRegisterFatBinary has a pointer alone. Reads 16 bytes, which must be mapped.
/// An error when they are no such header, or say more than 4 GiB.
[[nodiscard]] Result<std::size_t> FatBinarySize(const void* data);

/// ReadFatBinary of as many bytes at `data` as FatBinarySize says. They must be mapped: only for
/// a fat binary that the linker put into this process.
[[nodiscard]] Result<FatBinary> ReadFatBinary(const void* data);

/// The version of a PTX text, of its `.version 7.8`.
struct PtxVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  auto operator<=>(const PtxVersion&) const = default;
};

/// The highest version of the PTX in the fat binary at `data`, from the headers of its entries:
/// nothing is unpacked. Memory as ReadFatBinary(const void*) needs it. Nothing where there is no
/// PTX, or no fat binary.
[[nodiscard]] std::optional<PtxVersion> HighestPtxVersion(const void* data);

/// The PTX for a GPU of compute capability `arch` (80): of the highest arch that is not above it;
/// the first of equals. Valid as long as `binary`. An error that says how to compile when there is
/// no PTX, or none that this GPU takes: a driver has no kernel image then.
[[nodiscard]] Result<const FatEntry*> ChoosePtx(const FatBinary& binary, std::uint32_t arch);

}  // namespace assay::gpu

#endif  // ASSAY_CUDART_FATBIN_FAT_BINARY_H_

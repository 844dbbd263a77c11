// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_DEVICE_PRINT_H_
#define ASSAY_EMULATOR_EXEC_DEVICE_PRINT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::gpu {

/// What a device printf's format asks for. nvcc packs the arguments as C's varargs promote them,
/// each aligned to its size: 4 bytes for int and what is narrower, 8 for long, long long, size_t,
/// pointers and double.
struct DevicePrintArguments {
  std::uint32_t size_bytes = 0;  ///< Of the argument buffer.
  std::int32_t count = 0;        ///< What device printf returns: the arguments of the format.
};
[[nodiscard]] DevicePrintArguments ArgumentsOf(std::string_view format);

/// What a device printf writes. `arguments` is the buffer that the kernel handed to vprintf, or
/// its first bytes; `read_string` fetches the string of a %s at a device address (generic),
/// nothing if there is none to be read.
///
/// The rules are the CUDA programming guide's ("Formatted Output"): flags, width and precision
/// (`*` too), sizes hh h l ll z j t L, conversions d i o u x X p e E f F g G a A c s %. What else
/// stands behind a `%`, and a conversion whose argument lies past the end of `arguments`, is
/// written as it stands; so is %n, which takes its argument and stores nothing. Widths and
/// precisions end at 4,096 characters (no format of a hostile kernel can exhaust us). At most 32
/// arguments are formatted, as on a GPU. Never fails; may be called from any thread.
[[nodiscard]] std::string FormatDevicePrint(
    std::string_view format, std::span<const std::byte> arguments,
    const std::function<std::optional<std::string>(std::uint64_t address)>& read_string);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_DEVICE_PRINT_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_DEVICE_H_
#define ASSAY_HOST_DEVICE_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>

#include "host/adapter.h"

namespace assay::host {

/// Whether this process was started with a device behind the wire.
[[nodiscard]] bool HasDevice();

/// Sends a message, the parts of `request` one after the other, to the device, waits, and copies
/// the answer to the start of `reply`. Returns the answer's size, of which no more than
/// `reply` has room for was copied. What the messages mean is between cudart/link and gpu/server.
/// Nothing: there is no device, the message is longer than wire::kDeviceMessageBytes, or it is not
/// this process's turn to speak: it is after main's first message, and no operation runs. Any
/// thread may call it while an operation runs, but only one at a time.
[[nodiscard]] std::optional<std::size_t> CallDevice(std::initializer_list<Bytes> request,
                                                    std::span<std::byte> reply);

}  // namespace assay::host

#endif  // ASSAY_HOST_DEVICE_H_

// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

/// What one call of a host operation carries.
constexpr std::uint64_t kPart_bytes = std::uint64_t{16} << 20;

/// What is ours was done to memory that is ours.
std::expected<void, HostFailure> OrJudgeError(DeviceStatus status) {
  if (!status) {
    return std::unexpected(
        HostFailure{Verdict::kJudgeError, "device memory: " + status.error().detail});
  }
  return {};
}

}  // namespace

std::expected<std::optional<std::uint64_t>, HostFailure> EmulatedMemory::Allocate(
    std::uint64_t size_bytes) {
  const auto address = device_->Allocate(size_bytes);
  if (address) {
    return *address;
  }
  if (address.error().code == cuda_error::kMemoryAllocation) {
    return std::nullopt;
  }
  return std::unexpected(
      HostFailure{Verdict::kJudgeError, "device memory: " + address.error().detail});
}

std::expected<void, HostFailure> EmulatedMemory::Free(std::uint64_t address) {
  // The host may have freed what it was lent, which is a finding already.
  if (address != 0 && device_->AllocationOf(address)) {
    return OrJudgeError(device_->Free(address));
  }
  return {};
}

std::expected<void, HostFailure> EmulatedMemory::Write(std::uint64_t to,
                                                       std::span<const std::byte> from) {
  return OrJudgeError(device_->CopyToDevice(to, from));
}

std::expected<void, HostFailure> EmulatedMemory::WriteAsUninitialized(
    std::uint64_t to, std::span<const std::byte> from) {
  return OrJudgeError(device_->CopyAsUninitialized(to, from));
}

std::expected<void, HostFailure> EmulatedMemory::Read(std::span<std::byte> to, std::uint64_t from) {
  const auto held = device_->AllocationOf(from);
  if (!to.empty() && !held) {
    return std::unexpected(
        HostFailure{Verdict::kRuntimeError, "device memory that it was lent is freed"});
  }
  return OrJudgeError(device_->CopyFromDevice(to, from));
}

std::expected<void, HostFailure> HostMemory::Run(const Invocation& invocation) {
  const auto reply = host_->Call(invocation);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  if (reply->status != 0) {
    return std::unexpected(HostFailure{
        Verdict::kRuntimeError,
        fmt::format("{} failed with CUDA error {}", invocation.operation(), reply->status)});
  }
  return {};
}

std::expected<std::optional<std::uint64_t>, HostFailure> HostMemory::Allocate(
    std::uint64_t size_bytes) {
  if (size_bytes == 0) {
    return 0;
  }
  std::vector<std::uint64_t> address(1);
  Invocation call("assay_device_allocate");
  call.Scalar(size_bytes).Output(address);
  const auto reply = host_->Call(call);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  if (reply->status == cuda_error::kMemoryAllocation) {
    return std::nullopt;
  }
  if (reply->status != 0) {
    return std::unexpected(
        HostFailure{Verdict::kRuntimeError,
                    fmt::format("assay_device_allocate failed with CUDA error {}", reply->status)});
  }
  return address[0];
}

std::expected<void, HostFailure> HostMemory::Free(std::uint64_t address) {
  if (address == 0) {
    return {};
  }
  Invocation call("assay_device_free");
  call.Scalar(address);
  return Run(call);
}

std::expected<void, HostFailure> HostMemory::Write(std::uint64_t to,
                                                   std::span<const std::byte> from) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(from.data());
  for (std::uint64_t at = 0; at < from.size(); at += kPart_bytes) {
    const std::span part(data + at, std::min<std::uint64_t>(kPart_bytes, from.size() - at));
    Invocation call("assay_device_write");
    call.Scalar(to + at).Input(part).Scalar(std::uint64_t{part.size()});
    if (auto done = Run(call); !done) {
      return done;
    }
  }
  return {};
}

std::expected<void, HostFailure> HostMemory::Read(std::span<std::byte> to, std::uint64_t from) {
  auto* data = reinterpret_cast<std::uint8_t*>(to.data());
  for (std::uint64_t at = 0; at < to.size(); at += kPart_bytes) {
    const std::span part(data + at, std::min<std::uint64_t>(kPart_bytes, to.size() - at));
    Invocation call("assay_device_read");
    call.Scalar(from + at).Output(part).Scalar(std::uint64_t{part.size()});
    if (auto done = Run(call); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace assay::gpu

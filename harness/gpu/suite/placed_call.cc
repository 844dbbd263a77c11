// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/placed_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpu/adapter/device_stream.h"

namespace assay::gpu {
namespace {

constexpr std::uint64_t kAlignment_bytes = 256;
/// A prime, so that no stride of rows sees the same bytes again and again.
constexpr std::size_t kPattern_bytes = 65'521;
constexpr std::uint64_t kPart_bytes = std::uint64_t{1} << 20;

std::vector<std::byte> MakePattern(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> pattern(kPattern_bytes);
  for (std::byte& byte : pattern) {
    byte = static_cast<std::byte>(random() >> 56);
  }
  return pattern;
}

}  // namespace

std::expected<void, HostFailure> PlacedCall::Place(
    const std::function<void(std::span<std::byte>)>& poison, std::uint64_t seed) {
  pattern_ = MakePattern(seed);
  at_last_places_ = places_ != nullptr && seed % 4 != 0;
  scratch_.resize(kPart_bytes);
  addresses_.assign(call_->arguments().size(), 0);
  for (std::size_t i = 0; i < call_->arguments().size(); ++i) {
    const auto place = [&]<class A>(const A& argument) -> std::expected<void, HostFailure> {
      if constexpr (std::is_same_v<A, DeviceInvocation::InputArgument>) {
        return PlaceBuffer(i, argument.data, argument.row_bytes, argument.stride_bytes,
                           argument.offset_bytes);
      } else if constexpr (std::is_same_v<A, DeviceInvocation::ScratchArgument>) {
        return argument.size_bytes == 0
                   ? std::expected<void, HostFailure>()
                   : PlaceBuffer(i, {}, argument.size_bytes, argument.size_bytes, 0);
      } else if constexpr (!std::is_same_v<A, DeviceInvocation::ScalarArgument>) {
        if constexpr (std::is_same_v<A, DeviceInvocation::OutputArgument>) {
          poison(argument.data);
        }
        return PlaceBuffer(i, argument.data, argument.data.size(), argument.data.size(),
                           argument.offset_bytes);
      }
      return {};
    };
    if (auto placed = std::visit(place, call_->arguments()[i]); !placed) {
      return placed;
    }
  }
  return {};
}

std::expected<void, HostFailure> PlacedCall::PlaceBuffer(std::size_t argument,
                                                         std::span<const std::byte> data,
                                                         std::uint64_t row_bytes,
                                                         std::uint64_t stride_bytes,
                                                         std::uint64_t offset_bytes) {
  const auto& kind = call_->arguments()[argument];
  const bool is_scratch = std::holds_alternative<DeviceInvocation::ScratchArgument>(kind);
  if (!is_scratch && data.empty() && call_->empty_is_null()) {
    return {};
  }
  Buffer buffer{.argument = argument,
                .row_bytes = row_bytes,
                .stride_bytes = std::max(stride_bytes, row_bytes),
                .before = data,
                .is_input = std::holds_alternative<DeviceInvocation::InputArgument>(kind)};
  buffer.rows = is_scratch ? 1 : (row_bytes == 0 ? 0 : data.size() / row_bytes);
  const std::uint64_t guard =
      (memory_->guard_bytes() + kAlignment_bytes - 1) / kAlignment_bytes * kAlignment_bytes;
  buffer.start_bytes = guard + offset_bytes;
  const std::uint64_t body_bytes =
      buffer.rows == 0 ? 0 : (buffer.rows - 1) * buffer.stride_bytes + buffer.row_bytes;
  // Nothing of an empty buffer may be touched, yet its address is one.
  buffer.total_bytes = std::max<std::uint64_t>(buffer.start_bytes + body_bytes + guard, 1);
  if (auto allocated = Allocate(buffer); !allocated) {
    return allocated;
  }
  if (auto done = FillGaps(buffers_.back()); !done || buffer.rows == 0 || data.empty()) {
    return done;
  }
  const bool is_late =
      buffer.is_input && inputs_ == Inputs::kComeOnStream && call_->stream_kind().has_value();
  return is_late ? Stage(buffers_.back()) : FillRows(buffers_.back());
}

std::expected<void, HostFailure> PlacedCall::Allocate(Buffer& buffer) {
  const std::pair key(buffer.argument, buffer.total_bytes);
  if (at_last_places_) {
    const auto last = places_->find(key);
    if (last != places_->end() && memory_->AllocateAt(last->second, buffer.total_bytes)) {
      Keep(buffer, last->second);
      return {};
    }
  }
  const auto address = memory_->Allocate(buffer.total_bytes);
  if (!address) {
    return std::unexpected(address.error());
  }
  if (!*address) {
    return std::unexpected(RoomLacks(buffer, buffer.total_bytes));
  }
  Keep(buffer, **address);
  if (places_ != nullptr) {
    (*places_)[key] = **address;
  }
  return {};
}

void PlacedCall::Keep(Buffer& buffer, std::uint64_t allocation) {
  buffer.allocation = allocation;
  buffers_.push_back(buffer);
  addresses_[buffer.argument] = buffer.allocation + buffer.start_bytes;
}

std::expected<void, HostFailure> PlacedCall::WritePattern(const Buffer& buffer,
                                                          std::uint64_t offset,
                                                          std::uint64_t size_bytes) {
  while (size_bytes > 0) {
    const auto part = PatternAt(offset, size_bytes);
    if (auto done = memory_->WriteAsUninitialized(buffer.allocation + offset, part); !done) {
      return done;
    }
    offset += part.size();
    size_bytes -= part.size();
  }
  return {};
}

std::expected<void, HostFailure> PlacedCall::FillGaps(const Buffer& buffer) {
  return ForEachGap(buffer, [&](std::uint64_t offset, std::uint64_t size_bytes) {
    return WritePattern(buffer, offset, size_bytes);
  });
}

std::expected<void, HostFailure> PlacedCall::FillRows(const Buffer& buffer) {
  const bool is_output =
      std::holds_alternative<DeviceInvocation::OutputArgument>(call_->arguments()[buffer.argument]);
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    const std::uint64_t to = buffer.allocation + buffer.start_bytes + row * buffer.stride_bytes;
    const auto from = buffer.before.subspan(row * buffer.row_bytes, buffer.row_bytes);
    auto done = is_output ? memory_->WriteAsUninitialized(to, from) : memory_->Write(to, from);
    if (!done) {
      return done;
    }
  }
  return {};
}

std::expected<void, HostFailure> PlacedCall::Stage(Buffer& buffer) {
  const auto staging = memory_->Allocate(buffer.before.size());
  if (!staging) {
    return std::unexpected(staging.error());
  }
  if (!*staging) {
    return std::unexpected(RoomLacks(buffer, buffer.before.size()));
  }
  buffer.staging = **staging;
  if (auto done = memory_->Write(buffer.staging, buffer.before); !done) {
    return done;
  }
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    const std::uint64_t offset = buffer.start_bytes + row * buffer.stride_bytes;
    if (auto done = WritePattern(buffer, offset, buffer.row_bytes); !done) {
      return done;
    }
  }
  return {};
}

HostFailure PlacedCall::RoomLacks(const Buffer& buffer, std::uint64_t size_bytes) const {
  return {Verdict::kMemoryLimit,
          fmt::format("its device has no room left for the {} bytes of argument {} of {}",
                      size_bytes, buffer.argument, call_->operation())};
}

std::vector<Invocation> PlacedCall::ToLateCopies() const {
  std::vector<Invocation> copies;
  for (const Buffer& buffer : buffers_) {
    if (buffer.staging != 0) {
      Invocation copy(kCopyOnStreamName);
      copy.Scalar(buffer.allocation + buffer.start_bytes).Scalar(buffer.stride_bytes);
      copy.Scalar(buffer.staging).Scalar(buffer.row_bytes).Scalar(buffer.rows);
      copies.push_back(std::move(copy.Scalar(*call_->stream_kind())));
    }
  }
  return copies;
}

std::uint64_t PlacedCall::LateBytes() const {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : buffers_) {
    bytes += buffer.staging == 0 ? 0 : buffer.before.size();
  }
  return bytes;
}

std::expected<void, HostFailure> PlacedCall::ForEachGap(const Buffer& buffer, const Piece& piece) {
  if (auto done = piece(0, buffer.start_bytes); !done) {
    return done;
  }
  const std::uint64_t gap = buffer.stride_bytes - buffer.row_bytes;
  std::uint64_t end = buffer.start_bytes + (buffer.rows == 0 ? 0 : buffer.row_bytes);
  for (std::uint64_t row = 1; row < buffer.rows; ++row) {
    if (gap > 0 && buffer.HasPatternInGaps()) {
      if (auto done = piece(end, gap); !done) {
        return done;
      }
    }
    end += buffer.stride_bytes;
  }
  return piece(end, buffer.total_bytes - end);
}

std::span<const std::byte> PlacedCall::PatternAt(std::uint64_t offset,
                                                 std::uint64_t most_bytes) const {
  const std::span<const std::byte> rest = std::span(pattern_).subspan(offset % pattern_.size());
  return rest.first(std::min<std::uint64_t>(rest.size(), most_bytes));
}

Invocation PlacedCall::ToInvocation() const {
  Invocation invocation(call_->operation());
  for (std::size_t i = 0; i < call_->arguments().size(); ++i) {
    if (const auto* scalar =
            std::get_if<DeviceInvocation::ScalarArgument>(&call_->arguments()[i])) {
      std::visit([&](const auto value) { invocation.Scalar(value); }, scalar->value);
    } else {
      invocation.Scalar(addresses_[i]);
    }
  }
  return invocation;
}

std::expected<std::optional<std::string>, HostFailure> PlacedCall::Collect() {
  for (const Buffer& buffer : buffers_) {
    const auto read = [&]<class A>(const A& argument) -> std::expected<void, HostFailure> {
      if constexpr (std::is_same_v<A, DeviceInvocation::OutputArgument> ||
                    std::is_same_v<A, DeviceInvocation::InOutArgument>) {
        return memory_->Read(argument.data, addresses_[buffer.argument]);
      }
      return {};
    };
    if (auto done = std::visit(read, call_->arguments()[buffer.argument]); !done) {
      return std::unexpected(done.error());
    }
  }
  for (const Buffer& buffer : buffers_) {
    if (auto change = FindChange(buffer); !change || *change) {
      return change;
    }
  }
  return std::nullopt;
}

std::expected<std::optional<std::string>, HostFailure> PlacedCall::FindChange(
    const Buffer& buffer) {
  if (buffer.is_input) {
    for (std::uint64_t row = 0; row < buffer.rows; ++row) {
      const auto at =
          FindDifference(buffer, buffer.start_bytes + row * buffer.stride_bytes,
                         buffer.before.subspan(row * buffer.row_bytes, buffer.row_bytes));
      if (!at) {
        return std::unexpected(at.error());
      }
      if (*at) {
        return fmt::format("input of {} was written: argument {}, row {}, byte {}",
                           call_->operation(), buffer.argument, row,
                           **at - buffer.start_bytes - row * buffer.stride_bytes);
      }
    }
  }
  std::optional<std::uint64_t> changed;
  const auto check_gap = [&](std::uint64_t offset,
                             std::uint64_t size) -> std::expected<void, HostFailure> {
    while (size > 0 && !changed) {
      const auto wanted = PatternAt(offset, size);
      const auto at = FindDifference(buffer, offset, wanted);
      if (!at) {
        return std::unexpected(at.error());
      }
      changed = *at;
      offset += wanted.size();
      size -= wanted.size();
    }
    return {};
  };
  if (auto done = ForEachGap(buffer, check_gap); !done) {
    return std::unexpected(done.error());
  }
  if (changed) {
    return fmt::format("wrote beside argument {} of {}: {} bytes from where it begins",
                       buffer.argument, call_->operation(),
                       static_cast<std::int64_t>(*changed - buffer.start_bytes));
  }
  return std::nullopt;
}

std::expected<std::optional<std::uint64_t>, HostFailure> PlacedCall::FindDifference(
    const Buffer& buffer, std::uint64_t offset, std::span<const std::byte> wanted) {
  for (std::uint64_t done = 0; done < wanted.size();) {
    const auto part =
        wanted.subspan(done, std::min<std::uint64_t>(kPart_bytes, wanted.size() - done));
    const auto got = std::span(scratch_).first(part.size());
    if (auto read = memory_->Read(got, buffer.allocation + offset + done); !read) {
      return std::unexpected(read.error());
    }
    if (std::memcmp(got.data(), part.data(), part.size()) != 0) {
      const auto differ = std::ranges::mismatch(got, part);
      return offset + done + static_cast<std::uint64_t>(differ.in1 - got.begin());
    }
    done += part.size();
  }
  return std::nullopt;
}

std::expected<void, HostFailure> PlacedCall::Release() {
  std::expected<void, HostFailure> first;
  for (const Buffer& buffer : std::exchange(buffers_, {})) {
    for (const std::uint64_t allocation : {buffer.allocation, buffer.staging}) {
      if (allocation == 0) {
        continue;
      }
      auto freed = memory_->Free(allocation);
      if (!freed && first) {
        first = std::move(freed);
      }
    }
  }
  return first;
}

}  // namespace assay::gpu

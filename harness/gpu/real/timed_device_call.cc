// SPDX-License-Identifier: Apache-2.0
#include "gpu/real/timed_device_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "client/fast_random.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::real {
namespace {

template <class T>
using Outcome = std::expected<T, HostFailure>;

/// A call whose status has to be 0.
Outcome<Reply> Expect(Host& host, const Invocation& call) {
  auto reply = host.Call(call);
  if (reply && reply->status != 0) {
    return std::unexpected(
        HostFailure{reply->status == cuda_error::kMemoryAllocation ? Verdict::kMemoryLimit
                                                                   : Verdict::kRuntimeError,
                    fmt::format("{} returned {}", call.operation(), reply->status)});
  }
  return reply;
}

Outcome<std::uint64_t> Allocate(Host& host, std::uint64_t bytes) {
  std::array<std::uint64_t, 1> address{};
  Invocation call("assay_device_allocate");
  call.Scalar(bytes).Output(address);
  const auto reply = Expect(host, call);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  return address[0];
}

Outcome<void> Free(Host& host, std::uint64_t address) {
  Invocation call("assay_device_free");
  const auto reply = Expect(host, call.Scalar(address));
  return reply ? Outcome<void>{} : std::unexpected(reply.error());
}

std::span<const std::uint8_t> AsNumbers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Outcome<void> Write(Host& host, std::uint64_t to, std::span<const std::byte> from) {
  const auto numbers = AsNumbers(from);
  Invocation call("assay_device_write");
  const auto reply =
      Expect(host, call.Scalar(to).Input(numbers).Scalar(std::uint64_t{from.size()}));
  return reply ? Outcome<void>{} : std::unexpected(reply.error());
}

/// Random words, or values in [-8, 8).
template <class T>
std::vector<std::byte> RandomValues(std::uint64_t count, std::mt19937_64& random) {
  FastRandom fast(random);
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::uint64_t i = 0; i < count; ++i) {
    constexpr int kUpperBits = 24;
    T value{};
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kScale = T{16} / (std::uint64_t{1} << kUpperBits);
      value = static_cast<T>(fast.Next() >> (64 - kUpperBits)) * kScale - T{8};
    } else {
      value = fast.Next();
    }
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof value);
  }
  return bytes;
}

double NanosecondsOf(const Reply& reply) { return static_cast<double>(reply.elapsed.count()); }

}  // namespace

Outcome<DeviceDescription> DescribeDevice(Host& host) {
  std::array<std::uint8_t, 256> name{};
  std::array<std::uint64_t, 1> l2_bytes{};
  Invocation call("assay_device_describe");
  call.Scalar(std::uint64_t{name.size()}).Output(name).Output(l2_bytes);
  const auto reply = Expect(host, call);
  if (!reply) {
    return std::unexpected(reply.error());
  }
  DeviceDescription device{.name = {}, .l2_bytes = l2_bytes[0]};
  for (const std::uint8_t letter : name) {
    if (letter < ' ' || letter > '~') {
      break;
    }
    device.name += static_cast<char>(letter);
  }
  return device;
}

Outcome<double> MeasureCopyBandwidth(Host& host, std::uint64_t bytes, int repeats) {
  const auto from = Allocate(host, bytes);
  const auto to = from ? Allocate(host, bytes) : from;
  if (!to) {
    return std::unexpected(to.error());
  }
  Invocation copy("assay_device_copy");
  copy.Scalar(*to).Scalar(*from).Scalar(bytes);
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const auto reply = Expect(host, copy);
    if (!reply) {
      return std::unexpected(reply.error());
    }
    if (i != 0) {  // The first one finds a device that is not awake yet.
      times.push_back(std::max(NanosecondsOf(*reply), 1.0));
    }
  }
  for (const std::uint64_t address : {*from, *to}) {
    if (const auto freed = Free(host, address); !freed) {
      return std::unexpected(freed.error());
    }
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  constexpr double kNsPerS = 1e9;
  return 2 * static_cast<double>(bytes) / *middle * kNsPerS;
}

Outcome<TimedDeviceCall> TimedDeviceCall::Create(Host* host, CallText call,
                                                 const Options& options) {
  TimedDeviceCall timed(host, std::move(call), options);
  timed.flush_bytes_ = options.flush_bytes;
  if (timed.flush_bytes_ == 0) {
    const auto device = DescribeDevice(*host);
    if (!device) {
      return std::unexpected(device.error());
    }
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    timed.flush_bytes_ = std::clamp<std::uint64_t>(4 * device->l2_bytes, 1, kMostBytes);
  }
  const auto flush = Allocate(*host, timed.flush_bytes_);
  if (!flush) {
    return std::unexpected(flush.error());
  }
  timed.flush_address_ = *flush;
  if (const auto sized = timed.SizeScratch(); !sized) {
    return std::unexpected(sized.error());
  }
  for (int i = 0; i < options.sets; ++i) {
    if (const auto added = timed.AddSet(); !added) {
      return std::unexpected(added.error());
    }
  }
  return timed;
}

Outcome<void> TimedDeviceCall::SizeScratch() {
  for (const CallArgument& argument : call_.arguments) {
    const auto* const scratch = std::get_if<ScratchArgument>(&argument);
    if (scratch == nullptr) {
      continue;
    }
    scratch_bytes_ = scratch->bytes;
    if (scratch->operation.empty()) {
      continue;
    }
    std::array<std::uint64_t, 1> bytes{};
    Invocation ask(scratch->operation);
    for (const std::uint64_t number : scratch->arguments) {
      ask.Scalar(number);
    }
    if (const auto reply = Expect(*host_, ask.Output(bytes)); !reply) {
      return std::unexpected(reply.error());
    }
    scratch_bytes_ = bytes[0];
  }
  return {};
}

Outcome<void> TimedDeviceCall::AddSet() {
  Buffers set;
  for (const CallArgument& argument : call_.arguments) {
    std::uint64_t bytes = 0;
    if (const auto* const input = std::get_if<InputArgument>(&argument)) {
      bytes = input->count * input->element_bytes;
    } else if (const auto* const output = std::get_if<OutputArgument>(&argument)) {
      bytes = output->count * output->element_bytes;
    } else if (std::holds_alternative<ScratchArgument>(argument)) {
      bytes = scratch_bytes_;
    }
    std::uint64_t address = 0;
    if (bytes != 0) {
      const auto allocated = Allocate(*host_, bytes);
      if (!allocated) {
        return std::unexpected(allocated.error());
      }
      address = *allocated;
    }
    set.push_back(address);
  }
  sets_.push_back(std::move(set));
  return {};
}

Outcome<std::vector<TimedDeviceCall::Placed>> TimedDeviceCall::Fill(const Buffers& set) {
  std::vector<Placed> outputs;
  for (std::size_t i = 0; i < set.size(); ++i) {
    Outcome<void> written;
    if (const auto* const input = std::get_if<InputArgument>(&call_.arguments[i])) {
      written = Write(*host_, set[i],
                      input->element_bytes == sizeof(double)
                          ? RandomValues<double>(input->count, random_)
                          : RandomValues<float>(input->count, random_));
    } else if (const auto* const output = std::get_if<OutputArgument>(&call_.arguments[i])) {
      const std::uint64_t bytes = output->count * output->element_bytes;
      std::vector<std::byte> pattern = RandomValues<std::uint64_t>((bytes + 7) / 8, random_);
      pattern.resize(bytes);
      written = Write(*host_, set[i], pattern);
      outputs.push_back({set[i], std::move(pattern), output->element_bytes});
    }
    if (!written) {
      return std::unexpected(written.error());
    }
  }
  return outputs;
}

Invocation TimedDeviceCall::Call(const Buffers& set) const {
  Invocation call(call_.operation);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const CallArgument& argument = call_.arguments[i];
    if (const auto* const number = std::get_if<NumberArgument>(&argument)) {
      call.Scalar(number->value);
    } else if (const auto* const stream = std::get_if<StreamArgument>(&argument)) {
      call.Scalar(stream->kind);
    } else if (std::holds_alternative<ScratchBytesArgument>(argument)) {
      call.Scalar(scratch_bytes_);
    } else {
      call.Scalar(set[i]);
    }
  }
  return call;
}

Outcome<void> TimedDeviceCall::CheckWritten(const Placed& output) {
  std::vector<std::uint8_t> now(output.pattern.size());
  Invocation read("assay_device_read");
  read.Scalar(output.address).Output(now).Scalar(std::uint64_t{now.size()});
  if (const auto reply = Expect(*host_, read); !reply) {
    return std::unexpected(reply.error());
  }
  for (std::size_t at = 0; at < now.size(); at += output.element_bytes) {
    if (std::memcmp(&now[at], &output.pattern[at], output.element_bytes) == 0) {
      return std::unexpected(HostFailure{Verdict::kWrongAnswer,
                                         fmt::format("{} left element {} of an output unwritten",
                                                     call_.operation, at / output.element_bytes)});
    }
  }
  return {};
}

Outcome<TimedSample> TimedDeviceCall::Run() {
  const Buffers& set = sets_[next_set_];
  next_set_ = (next_set_ + 1) % sets_.size();
  const auto outputs = Fill(set);
  if (!outputs) {
    return std::unexpected(outputs.error());
  }
  Invocation flush("assay_device_flush_l2");
  flush.Scalar(flush_address_).Scalar(flush_bytes_);
  std::array<double, 1> event_ms{};
  Invocation stop("assay_device_stop_event");
  stop.Output(event_ms);
  const std::array<Invocation, 5> calls = {std::move(flush), Invocation("assay_device_start_event"),
                                           Call(set), Invocation("assay_device_synchronize"),
                                           std::move(stop)};
  TimedSample sample;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto reply = Expect(*host_, calls[i]);
    if (!reply) {
      return std::unexpected(reply.error());
    }
    const bool timed = i == 2 || i == 3;  // The operation, and all that it left running.
    sample.wall_ns += timed ? NanosecondsOf(*reply) : 0;
  }
  constexpr double kNsPerMs = 1e6;
  sample.event_ns = event_ms[0] * kNsPerMs;
  for (const Placed& output : *outputs) {
    if (const auto written = CheckWritten(output); !written) {
      return std::unexpected(written.error());
    }
  }
  return sample;
}

}  // namespace assay::gpu::real

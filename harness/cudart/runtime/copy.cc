// SPDX-License-Identifier: Apache-2.0
// Copies and fills: what they may touch, and how they are done.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "cudart/runtime/memory.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

enum class Side : std::uint8_t { kHost, kDevice };
struct Place {
  Side side = Side::kHost;
  std::uint64_t address = 0;
  /// To the end of the buffer, where the runtime knows it. The device checks its own.
  std::uint64_t room_bytes = std::numeric_limits<std::uint64_t>::max();
  bool pageable = false;  ///< Host memory that the runtime knows nothing of.
};

enum class Claim : std::uint8_t { kHost, kDevice, kUnknown };

/// Where memory really is. Mirrors are copied on the host: that is where their truth is. Nothing
/// when a pointer that should be the host's is the device's.
std::optional<Place> Resolve(State& state, std::uint64_t address, Claim claim) {
  if (const Mirror* const mirror = state.mirrors.FindByDevice(address)) {
    const std::uint64_t offset = address - mirror->device;
    return Place{.side = Side::kHost,
                 .address = mirror->host + offset,
                 .room_bytes = mirror->size_bytes - offset};
  }
  const void* base = nullptr;
  if (FindHostBuffer(state, std::bit_cast<const void*>(address), &base) != nullptr) {
    return Place{.side = Side::kHost, .address = address};
  }
  switch (claim) {
    case Claim::kHost:
      if (IsKnownDeviceMemory(state, address)) {
        return std::nullopt;
      }
      return Place{.side = Side::kHost, .address = address, .pageable = true};
    case Claim::kDevice:
      return Place{.side = Side::kDevice, .address = address};
    case Claim::kUnknown:
      break;
  }
  const bool on_device = FindDeviceMemory(state, address).has_value();
  return Place{
      .side = on_device ? Side::kDevice : Side::kHost, .address = address, .pageable = !on_device};
}

struct Claims {
  Claim to = Claim::kUnknown;
  Claim from = Claim::kUnknown;
};
std::optional<Claims> ClaimsOf(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return Claims{Claim::kHost, Claim::kHost};
    case cudaMemcpyHostToDevice:
      return Claims{Claim::kDevice, Claim::kHost};
    case cudaMemcpyDeviceToHost:
      return Claims{Claim::kHost, Claim::kDevice};
    case cudaMemcpyDeviceToDevice:
      return Claims{Claim::kDevice, Claim::kDevice};
    case cudaMemcpyDefault:
      return Claims{};
  }
  return std::nullopt;
}

DeviceStatus CopyRow(State& state, const Place& to, const Place& from, std::uint64_t size_bytes) {
  if (to.side == Side::kDevice && from.side == Side::kDevice) {
    return state.device->CopyOnDevice(to.address, from.address, size_bytes);
  }
  if (to.side == Side::kDevice) {
    return state.device->CopyToDevice(to.address,
                                      {std::bit_cast<const std::byte*>(from.address), size_bytes});
  }
  if (from.side == Side::kDevice) {
    return state.device->CopyFromDevice({std::bit_cast<std::byte*>(to.address), size_bytes},
                                        from.address);
  }
  std::memmove(std::bit_cast<void*>(to.address), std::bit_cast<const void*>(from.address),
               size_bytes);
  return {};
}

/// A stated model, never a measurement: 1 us, and bytes over the host's link (PCIe 4 x16 at 25
/// GB/s, PCIe 5 from compute capability 9.0 at 50 GB/s) or through DRAM, twice for a copy.
double CopyTimeNs(const GpuModel& model, double bytes, bool crosses_link) {
  constexpr double kLatencyNs = 1000;
  constexpr double kPcie4BytesPerNs = 25;
  constexpr double kPcie5BytesPerNs = 50;
  const double link = model.compute_major >= 9 ? kPcie5BytesPerNs : kPcie4BytesPerNs;
  const double dram = std::max(model.dram_bytes_per_s, 1.0) * 1e-9;
  return kLatencyNs + (crosses_link ? bytes / link : 2 * bytes / dram);
}

std::uint64_t RowAddress(const CopyWork::End& end, std::uint64_t slice, std::uint64_t row) {
  return end.address + slice * end.slice_bytes + row * end.pitch_bytes;
}

/// Whether all rows of one end lie in its buffer.
bool Fits(const CopyWork& work, const CopyWork::End& end, const Place& place) {
  std::uint64_t slices = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  return !__builtin_mul_overflow(work.depth - 1, end.slice_bytes, &slices) &&
         !__builtin_mul_overflow(work.height - 1, end.pitch_bytes, &rows) &&
         !__builtin_add_overflow(slices, rows, &bytes) &&
         !__builtin_add_overflow(bytes, work.width_bytes, &bytes) && bytes <= place.room_bytes;
}

/// Joins rows, and then slices, that follow each other without a gap on both sides.
CopyWork Flatten(CopyWork work) {
  const auto rows_touch = [&](const CopyWork::End& end) {
    return work.height == 1 || end.pitch_bytes == work.width_bytes;
  };
  std::uint64_t bytes = 0;
  if (rows_touch(work.to) && rows_touch(work.from) &&
      !__builtin_mul_overflow(work.width_bytes, work.height, &bytes)) {
    work.width_bytes = bytes;
    work.height = 1;
    const auto slices_touch = [&](const CopyWork::End& end) {
      return work.depth == 1 || end.slice_bytes == work.width_bytes;
    };
    if (slices_touch(work.to) && slices_touch(work.from) &&
        !__builtin_mul_overflow(work.width_bytes, work.depth, &bytes)) {
      work.width_bytes = bytes;
      work.depth = 1;
    }
  }
  return work;
}

/// A place with the room that device memory has there.
Place WithRoom(State& state, Place place) {
  if (place.side == Side::kDevice) {
    const auto memory = state.device->AllocationOf(place.address);
    place.room_bytes =
        memory ? memory->size_bytes - (place.address - memory->address) : std::uint64_t{0};
  }
  return place;
}

}  // namespace

cudaError_t PlanCopy(State& state, const CopyWork& copy, Work* work) {
  const auto claims = ClaimsOf(copy.kind);
  if (!claims) {
    return cudaErrorInvalidMemcpyDirection;
  }
  if (copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0) {
    *work = std::monostate{};
    return cudaSuccess;
  }
  if (copy.to.address == 0 || copy.from.address == 0) {
    return cudaErrorInvalidValue;
  }
  if ((copy.height > 1 || copy.depth > 1) &&
      (copy.to.pitch_bytes < copy.width_bytes || copy.from.pitch_bytes < copy.width_bytes)) {
    return cudaErrorInvalidPitchValue;
  }
  if (!Resolve(state, copy.to.address, claims->to) ||
      !Resolve(state, copy.from.address, claims->from)) {
    return cudaErrorInvalidValue;
  }
  *work = Flatten(copy);
  return cudaSuccess;
}

bool DeferCopy(State& state, CopyWork& work) {
  constexpr std::uint64_t kMostStagedBytes = std::uint64_t{64} << 10;
  const Claims claims = ClaimsOf(work.kind).value_or(Claims{});
  const auto to = Resolve(state, work.to.address, claims.to);
  const auto from = Resolve(state, work.from.address, claims.from);
  if (!to || !from || (to->side == Side::kHost && from->side == Side::kHost) || to->pageable ||
      !Fits(work, work.to, WithRoom(state, *to)) ||
      !Fits(work, work.from, WithRoom(state, *from))) {
    return false;
  }
  if (from->pageable) {
    if (work.height != 1 || work.depth != 1 || work.width_bytes > kMostStagedBytes) {
      return false;
    }
    const auto* const bytes = std::bit_cast<const std::byte*>(from->address);
    work.staged = std::make_shared<std::vector<std::byte>>(bytes, bytes + work.width_bytes);
    work.from.address = std::bit_cast<std::uint64_t>(work.staged->data());
    work.kind = cudaMemcpyHostToDevice;
  }
  return true;
}

bool IsOnDevice(State& state, const CopyWork& work) {
  const Claims claims = ClaimsOf(work.kind).value_or(Claims{});
  const auto on_device = [&](const CopyWork::End& end, Claim claim) {
    const auto place = Resolve(state, end.address, claim);
    return place && place->side == Side::kDevice;
  };
  return on_device(work.to, claims.to) && on_device(work.from, claims.from);
}

cudaError_t PerformCopy(State& state, const CopyWork& work) {
  const Claims claims = ClaimsOf(work.kind).value_or(Claims{});
  const auto to = Resolve(state, work.to.address, claims.to);
  const auto from = Resolve(state, work.from.address, claims.from);
  // Not there: a captured copy whose memory has changed hands.
  if (!to || !from || !Fits(work, work.to, *to) || !Fits(work, work.from, *from)) {
    return cudaErrorInvalidValue;
  }
  CopyWork::End to_end = work.to;
  CopyWork::End from_end = work.from;
  to_end.address = to->address;
  from_end.address = from->address;
  const DeviceWork work_of_stream(state);
  for (std::uint64_t slice = 0; slice < work.depth; ++slice) {
    for (std::uint64_t row = 0; row < work.height; ++row) {
      const auto copied = CopyRow(
          state, {.side = to->side, .address = RowAddress(to_end, slice, row)},
          {.side = from->side, .address = RowAddress(from_end, slice, row)}, work.width_bytes);
      if (!copied) {
        return Fail(state, "cudaMemcpy", copied.error());
      }
    }
  }
  const double bytes = static_cast<double>(work.width_bytes) * static_cast<double>(work.height) *
                       static_cast<double>(work.depth);
  if (to->side == Side::kDevice || from->side == Side::kDevice) {
    state.time_ns += CopyTimeNs(state.device->model(), bytes, to->side != from->side);
  }
  return cudaSuccess;
}

cudaError_t PlanCopy3D(State& state, const cudaMemcpy3DParms& parameters, Work* work) {
  if (parameters.srcArray != nullptr || parameters.dstArray != nullptr) {
    Notice(state, "cudaMemcpy3D", cudaErrorNotSupported,
           "CUDA arrays are not supported by the emulated GPU; use linear memory");
    return cudaErrorNotSupported;
  }
  const auto end_of = [](const cudaPitchedPtr& pointer, const cudaPos& position) {
    const std::uint64_t slice_bytes = pointer.pitch * pointer.ysize;
    return CopyWork::End{.address = std::bit_cast<std::uint64_t>(pointer.ptr) + position.x +
                                    position.y * pointer.pitch + position.z * slice_bytes,
                         .pitch_bytes = pointer.pitch,
                         .slice_bytes = slice_bytes};
  };
  return PlanCopy(state,
                  {.to = end_of(parameters.dstPtr, parameters.dstPos),
                   .from = end_of(parameters.srcPtr, parameters.srcPos),
                   .width_bytes = parameters.extent.width,
                   .height = parameters.extent.height,
                   .depth = parameters.extent.depth,
                   .kind = parameters.kind},
                  work);
}

cudaError_t PlanFill(State& /*state*/, const FillWork& fill, Work* work) {
  const bool known = fill.element_bytes == 1 || fill.element_bytes == 2 || fill.element_bytes == 4;
  std::uint64_t row_bytes = 0;
  if (!known || __builtin_mul_overflow(fill.width, std::uint64_t{fill.element_bytes}, &row_bytes)) {
    return cudaErrorInvalidValue;
  }
  if (fill.width == 0 || fill.height == 0) {
    *work = std::monostate{};
    return cudaSuccess;
  }
  if (fill.address == 0 || fill.address % fill.element_bytes != 0) {
    return cudaErrorInvalidValue;
  }
  if (fill.height > 1 && fill.pitch_bytes < row_bytes) {
    return cudaErrorInvalidPitchValue;
  }
  FillWork planned = fill;
  std::uint64_t all = 0;
  if (fill.height > 1 && fill.pitch_bytes == row_bytes &&
      !__builtin_mul_overflow(fill.width, fill.height, &all)) {
    planned.width = all;
    planned.height = 1;
  }
  *work = planned;
  return cudaSuccess;
}

bool DeferFill(State& state, const FillWork& work) {
  const CopyWork reach{.to = {.address = work.address, .pitch_bytes = work.pitch_bytes},
                       .width_bytes = work.width * work.element_bytes,
                       .height = work.height};
  const auto place = Resolve(state, work.address, Claim::kDevice);
  return place && Fits(reach, reach.to, WithRoom(state, *place));
}

cudaError_t PerformFill(State& state, const FillWork& work) {
  std::array<std::byte, sizeof work.value> pattern{};
  std::memcpy(pattern.data(), &work.value, sizeof work.value);
  const DeviceWork work_of_stream(state);
  for (std::uint64_t row = 0; row < work.height; ++row) {
    const std::uint64_t address = work.address + row * work.pitch_bytes;
    const Mirror* const mirror = state.mirrors.FindByDevice(address);
    if (mirror != nullptr) {
      const std::uint64_t offset = address - mirror->device;
      if (work.width > (mirror->size_bytes - offset) / work.element_bytes) {
        return cudaErrorInvalidValue;
      }
      auto* const host = std::bit_cast<std::byte*>(mirror->host + offset);
      for (std::uint64_t i = 0; i < work.width; ++i) {
        std::memcpy(host + i * work.element_bytes, pattern.data(), work.element_bytes);
      }
    } else if (const auto filled = state.device->Fill(
                   address, std::span(pattern).first(work.element_bytes), work.width);
               !filled) {
      return Fail(state, "cudaMemset", filled.error());
    }
  }
  const double bytes = static_cast<double>(work.width) * work.element_bytes *
                       static_cast<double>(work.height) / 2;  // Written only.
  state.time_ns += CopyTimeNs(state.device->model(), bytes, false);
  return cudaSuccess;
}

}  // namespace assay::gpu::runtime

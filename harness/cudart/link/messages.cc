// SPDX-License-Identifier: Apache-2.0
#include "cudart/link/messages.h"

namespace assay::gpu::remote {
namespace {

constexpr std::size_t kMaxModelTextBytes = 256;

/// Each number of a model, in the order of its message. Names every member, so that a new one does
/// not compile until it travels too; so do the functions that write.
template <class Model, class Visit>
void VisitNumbers(Model& model, Visit visit) {
  auto& [id, name, compute_major, compute_minor, multiprocessors, memory_bytes, l2_bytes, clock_khz,
         memory_clock_khz, memory_bus_bits, dram_bytes_per_s, l2_bytes_per_clock,
         l2_bytes_per_clock_per_sm, max_threads_per_sm, max_blocks_per_sm, registers_per_sm,
         register_allocation_unit, shared_bytes_per_sm, shared_bytes_per_block_optin,
         reserved_shared_bytes_per_block, f32_flops_per_clock, f64_flops_per_clock,
         f16_flops_per_clock, tensor_f16_flops_per_clock, special_ops_per_clock, issue_per_clock] =
      model;
  const auto visit_each = [&](auto&... numbers) { (visit(numbers), ...); };
  visit_each(compute_major, compute_minor, multiprocessors, memory_bytes, l2_bytes, clock_khz,
             memory_clock_khz, memory_bus_bits, dram_bytes_per_s, l2_bytes_per_clock,
             l2_bytes_per_clock_per_sm, max_threads_per_sm, max_blocks_per_sm, registers_per_sm,
             register_allocation_unit, shared_bytes_per_sm, shared_bytes_per_block_optin,
             reserved_shared_bytes_per_block, f32_flops_per_clock, f64_flops_per_clock,
             f16_flops_per_clock, tensor_f16_flops_per_clock, special_ops_per_clock,
             issue_per_clock);
}

std::vector<std::uint32_t> ReadList(Reader& reader) {
  std::vector<std::uint32_t> list(reader.Count(sizeof(std::uint32_t)));
  for (std::uint32_t& number : list) {
    number = reader.Number<std::uint32_t>();
  }
  return list;
}

void WriteList(Writer& writer, const std::vector<std::uint32_t>& list) {
  writer.Number(static_cast<std::uint32_t>(list.size())).Bytes(std::as_bytes(std::span(list)));
}

}  // namespace

Writer& Writer::Bytes(std::span<const std::byte> bytes) {
  message_->insert(message_->end(), bytes.begin(), bytes.end());
  return *this;
}

void Write(Writer& writer, const GpuModel& model) {
  writer.Text(model.id).Text(model.name);
  VisitNumbers(model, [&](auto number) { writer.Number(number); });
}

GpuModel ReadModel(Reader& reader) {
  GpuModel model;
  model.id = reader.Text(kMaxModelTextBytes);
  model.name = reader.Text(kMaxModelTextBytes);
  VisitNumbers(model, [&]<class T>(T& number) { number = reader.Number<T>(); });
  return model;
}

void Write(Writer& writer, const KernelInfo& kernel) {
  const auto& [id, name, offsets, sizes, parameter_bytes, resources] = kernel;
  const auto& [registers, shared_bytes, constant_bytes, local_bytes, max_threads] = resources;
  writer.Number(id).Text(name);
  WriteList(writer, offsets);
  WriteList(writer, sizes);
  writer.Number(parameter_bytes)
      .Number(std::uint8_t{registers.has_value()})
      .Number(registers.value_or(0))
      .Number(shared_bytes)
      .Number(constant_bytes)
      .Number(local_bytes)
      .Number(max_threads);
}

KernelInfo ReadKernel(Reader& reader) {
  KernelInfo kernel;
  kernel.id = reader.Number<KernelId>();
  kernel.name = reader.Text(kMaxNameBytes);
  kernel.parameter_offsets = ReadList(reader);
  kernel.parameter_sizes = ReadList(reader);
  kernel.parameter_bytes = reader.Number<std::uint32_t>();
  const bool has_registers = reader.Number<std::uint8_t>() != 0;
  const auto registers = reader.Number<std::uint32_t>();
  if (has_registers) {
    kernel.resources.registers_per_thread = registers;
  }
  kernel.resources.static_shared_bytes = reader.Number<std::uint64_t>();
  kernel.resources.constant_bytes = reader.Number<std::uint64_t>();
  kernel.resources.local_bytes = reader.Number<std::uint64_t>();
  kernel.resources.max_threads_per_block = reader.Number<std::uint32_t>();
  return kernel;
}

void Write(Writer& writer, const LaunchRequest& request) {
  const auto& [kernel, grid, block, shared_bytes, shared_limit_bytes, cooperative, parameters] =
      request;
  writer.Number(kernel);
  for (const auto& dimensions : {grid, block}) {
    for (const std::uint32_t dimension : dimensions) {
      writer.Number(dimension);
    }
  }
  writer.Number(shared_bytes)
      .Number(shared_limit_bytes)
      .Number(std::uint8_t{cooperative})
      .Number(static_cast<std::uint32_t>(parameters.size()))
      .Bytes(parameters);
}

LaunchRequest ReadLaunch(Reader& reader) {
  LaunchRequest request;
  request.kernel = reader.Number<KernelId>();
  for (auto* dimensions : {&request.grid, &request.block}) {
    for (std::uint32_t& dimension : *dimensions) {
      dimension = reader.Number<std::uint32_t>();
    }
  }
  request.dynamic_shared_bytes = reader.Number<std::uint64_t>();
  request.dynamic_shared_limit_bytes = reader.Number<std::uint64_t>();
  request.cooperative = reader.Number<std::uint8_t>() != 0;
  const std::string_view parameters = reader.Text(kMaxParameterBytes);
  const auto bytes = std::as_bytes(std::span(parameters));
  request.parameters.assign(bytes.begin(), bytes.end());
  return request;
}

void Write(Writer& writer, const LaunchOutcome& outcome) {
  const auto& [error, sticky, detail, modelled_time_ns] = outcome;
  writer.Number(std::int32_t{error})
      .Number(std::uint8_t{sticky})
      .Text(std::string_view(detail).substr(0, kMaxDetailBytes))
      .Number(modelled_time_ns);
}

LaunchOutcome ReadOutcome(Reader& reader) {
  LaunchOutcome outcome;
  outcome.error = reader.Number<std::int32_t>();
  outcome.sticky = reader.Number<std::uint8_t>() != 0;
  outcome.detail = reader.Text(kMaxDetailBytes);
  outcome.modelled_time_ns = reader.Number<double>();
  return outcome;
}

}  // namespace assay::gpu::remote

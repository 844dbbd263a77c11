// SPDX-License-Identifier: Apache-2.0
// Graphs made ready and replayed.
#include <algorithm>
#include <cstdarg>
#include <utility>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

using Steps = std::vector<CUgraphExec_st::Step>;

/// Null when the graph has a cycle. Child graphs are cloned: the exec is a snapshot.
std::shared_ptr<const Steps> StepsOf(State& state, const CUgraph_st& graph) {
  const std::vector<const CUgraphNode_st*> order = TopologicalOrder(graph);
  if (order.size() != graph.nodes.size()) {
    return nullptr;
  }
  auto steps = std::make_shared<Steps>();
  for (const CUgraphNode_st* const node : order) {
    Work work = node->work;
    if (auto* const child = std::get_if<ChildWork>(&work)) {
      // Alive by the step alone: no program can name it.
      const std::shared_ptr<CUgraph_st> clone = CloneGraph(state, *child->graph);
      DropGraph(state, clone.get());
      child->graph = clone;
    }
    steps->push_back({.work = std::move(work), .node = const_cast<cudaGraphNode_t>(node)});
  }
  return steps;
}

cudaError_t Instantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long flags) {
  return Enter([&](State& state) {
    const CUgraph_st* const graph = FindGraph(state, handle);
    if (exec == nullptr || graph == nullptr) {
      return cudaErrorInvalidValue;
    }
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
      Notice(state, "cudaGraphInstantiate", cudaErrorNotSupported,
             "graphs launched from the device are not supported by the emulated GPU");
      return cudaErrorNotSupported;
    }
    auto created = std::make_unique<CUgraphExec_st>();
    created->steps = StepsOf(state, *graph);
    created->flags = flags;
    if (created->steps == nullptr) {
      return cudaErrorInvalidValue;
    }
    *exec = created.get();
    state.graphs.execs[*exec] = std::move(created);
    return cudaSuccess;
  });
}

CUgraphExec_st* FindExec(State& state, cudaGraphExec_t handle) {
  const auto found = state.graphs.execs.find(handle);
  return found == state.graphs.execs.end() ? nullptr : found->second.get();
}

cudaError_t LaunchGraph(State& state, cudaGraphExec_t handle, cudaStream_t stream_handle) {
  const CUgraphExec_st* const exec = FindExec(state, handle);
  const CUstream_st* const stream = FindStream(state, stream_handle);
  if (exec == nullptr || stream == nullptr) {
    return exec == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  }
  if (const cudaError_t error = CheckLegacyUse(state, *stream); error != cudaSuccess) {
    return error;
  }
  // Held: a host node may destroy or update the exec while it runs.
  const std::shared_ptr<const Steps> steps = exec->steps;
  for (const auto& step : *steps) {
    if (!step.enabled) {
      continue;
    }
    // Steps go one by one, into a stream that captures too: as a child graph that is flattened.
    const cudaError_t error = Submit(state, stream_handle, step.work);
    if (error != cudaSuccess) {
      return error;
    }
    if (state.sticky != cudaSuccess) {
      break;  // A kernel faulted: what depends on it never runs.
    }
  }
  return cudaSuccess;
}

/// Changes one step of an exec; `same_kind` guards against a node of another type.
template <class Body>
cudaError_t ChangeStep(State& state, cudaGraphExec_t handle, cudaGraphNode_t node, Body&& body) {
  CUgraphExec_st* const exec = FindExec(state, handle);
  if (exec == nullptr) {
    return cudaErrorInvalidValue;
  }
  auto steps = std::make_shared<Steps>(*exec->steps);
  const auto found =
      std::ranges::find_if(*steps, [&](const auto& step) { return step.node == node; });
  if (node == nullptr || found == steps->end()) {
    return cudaErrorInvalidValue;
  }
  const cudaError_t error = body(*found);
  if (error == cudaSuccess) {
    exec->steps = std::move(steps);
  }
  return error;
}

/// What cudaGraphExecUpdate may change: parameters, never kinds of nodes, kernels or their order.
bool SameShape(const Steps& old_steps, const Steps& new_steps) {
  return std::ranges::equal(old_steps, new_steps, [](const auto& a, const auto& b) {
    return a.work.index() == b.work.index();
  });
}

}  // namespace

cudaError_t SetExecWork(State& state, cudaGraphExec_t exec, cudaGraphNode_t node, Work work) {
  return ChangeStep(state, exec, node, [&](CUgraphExec_st::Step& step) {
    if (step.work.index() != work.index()) {
      return cudaErrorInvalidValue;
    }
    step.work = std::move(work);
    return cudaSuccess;
  });
}

extern "C" {

/// (exec, graph, flags); in 11 (exec, graph, node of an error, text, its size), without flags.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, ...) {
  Interface interface{};
  const cudaError_t unknown =
      Enter([&](State& state) { return FindInterface(state, "cudaGraphInstantiate", &interface); });
  if (unknown != cudaSuccess) {
    return unknown;
  }
  va_list rest;
  va_start(rest, graph);
  unsigned long long flags = 0;
  if (interface == Interface::kCuda11) {
    auto* const error_node = va_arg(rest, cudaGraphNode_t*);
    auto* const text = va_arg(rest, char*);
    const auto text_bytes = va_arg(rest, std::size_t);
    if (error_node != nullptr) {
      *error_node = nullptr;
    }
    if (text != nullptr && text_bytes != 0) {
      *text = '\0';
    }
  } else {
    flags = va_arg(rest, unsigned long long);
  }
  va_end(rest);
  return Instantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) {
    return Enter([](State&) { return cudaErrorInvalidValue; });
  }
  const cudaError_t error = Instantiate(exec, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  return Enter([&](State& state) {
    const CUgraphExec_st* const exec = FindExec(state, handle);
    if (exec == nullptr || flags == nullptr) {
      return cudaErrorInvalidValue;
    }
    *flags = exec->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return Instantiate(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return Enter([&](State& state) {
    return FindExec(state, exec) == nullptr || FindStream(state, stream) == nullptr
               ? cudaErrorInvalidValue
               : cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return Enter([&](State& state) { return LaunchGraph(state, exec, stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return Enter([&](State& state) {
    return state.graphs.execs.erase(exec) == 1 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return Enter([&](State& state) {
    return ChangeStep(state, exec, node, [&](CUgraphExec_st::Step& step) {
      const bool can_rest = std::holds_alternative<KernelWork>(step.work) ||
                            std::holds_alternative<CopyWork>(step.work) ||
                            std::holds_alternative<FillWork>(step.work);
      if (!can_rest) {
        return cudaErrorInvalidValue;
      }
      step.enabled = enabled != 0;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return Enter([&](State& state) {
    return ChangeStep(state, exec, node, [&](const CUgraphExec_st::Step& step) {
      if (enabled == nullptr) {
        return cudaErrorInvalidValue;
      }
      *enabled = step.enabled ? 1 : 0;
      return cudaSuccess;
    });
  });
}

}  // extern "C"

namespace {

/// `fits` says whether the exec took the graph's parameters.
cudaError_t UpdateExec(cudaGraphExec_t exec_handle, cudaGraph_t graph_handle, bool* fits) {
  return Enter([&](State& state) {
    CUgraphExec_st* const exec = FindExec(state, exec_handle);
    const CUgraph_st* const graph = FindGraph(state, graph_handle);
    if (exec == nullptr || graph == nullptr) {
      return cudaErrorInvalidValue;
    }
    const std::shared_ptr<const Steps> steps = StepsOf(state, *graph);
    *fits = steps != nullptr && SameShape(*exec->steps, *steps);
    if (!*fits) {
      return cudaErrorGraphExecUpdateFailure;
    }
    exec->steps = steps;
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

/// (exec, graph, what became of it); in 11 (exec, graph, node of an error, result).
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, ...) {
  Interface interface{};
  const cudaError_t unknown =
      Enter([&](State& state) { return FindInterface(state, "cudaGraphExecUpdate", &interface); });
  if (unknown != cudaSuccess) {
    return unknown;
  }
  bool fits = false;
  const cudaError_t error = UpdateExec(exec, graph, &fits);
  const cudaGraphExecUpdateResult result =
      fits ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  va_list rest;
  va_start(rest, graph);
  if (interface == Interface::kCuda11) {
    auto* const error_node = va_arg(rest, cudaGraphNode_t*);
    auto* const told = va_arg(rest, cudaGraphExecUpdateResult*);
    if (error_node != nullptr) {
      *error_node = nullptr;
    }
    if (told != nullptr) {
      *told = result;
    }
  } else if (auto* const told = va_arg(rest, cudaGraphExecUpdateResultInfo*); told != nullptr) {
    *told = {.result = result, .errorNode = nullptr, .errorFromNode = nullptr};
  }
  va_end(rest);
  return error;
}

}  // extern "C"
}  // namespace assay::gpu::runtime

// SPDX-License-Identifier: Apache-2.0
// Graphs built node by node, and nodes whose parameters change.
#include <bit>
#include <cstring>
#include <utility>

#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

/// Adds the node that `plan` makes: cudaError_t(State&, Work*).
template <class Plan>
cudaError_t AddPlanned(cudaGraphNode_t* node, cudaGraph_t handle,
                       const cudaGraphNode_t* dependencies, std::size_t count, Plan&& plan) {
  return Enter([&](State& state) {
    CUgraph_st* const graph = FindGraph(state, handle);
    std::vector<cudaGraphNode_t> after;
    if (node == nullptr || graph == nullptr || !ReadNodes(state, dependencies, count, &after)) {
      return cudaErrorInvalidValue;
    }
    for (const cudaGraphNode_t earlier : after) {
      if (earlier->graph != graph) {
        return cudaErrorInvalidValue;
      }
    }
    Work work;
    const cudaError_t error = plan(state, &work);
    if (error == cudaSuccess) {
      *node = AddNode(state, *graph, std::move(work), std::move(after));
    }
    return error;
  });
}

/// Replaces a node's work by what `plan` makes, of the same kind.
template <class Plan>
cudaError_t SetPlanned(cudaGraphNode_t handle, Plan&& plan) {
  return Enter([&](State& state) {
    CUgraphNode_st* const node = FindNode(state, handle);
    if (node == nullptr) {
      return cudaErrorInvalidValue;
    }
    Work work;
    if (const cudaError_t error = plan(state, &work); error != cudaSuccess) {
      return error;
    }
    if (work.index() != node->work.index()) {
      return cudaErrorInvalidValue;
    }
    node->work = std::move(work);
    return cudaSuccess;
  });
}

template <class Plan>
cudaError_t SetExecPlanned(cudaGraphExec_t exec, cudaGraphNode_t node, Plan&& plan) {
  return Enter([&](State& state) {
    Work work;
    const cudaError_t error = plan(state, &work);
    return error == cudaSuccess ? SetExecWork(state, exec, node, std::move(work)) : error;
  });
}

/// A node's work, when it is of kind T.
template <class T>
T* WorkOf(State& state, cudaGraphNode_t handle) {
  CUgraphNode_st* const node = FindNode(state, handle);
  return node == nullptr ? nullptr : std::get_if<T>(&node->work);
}

auto KernelPlan(const cudaKernelNodeParams* parameters) {
  return [parameters](State& state, Work* work) {
    if (parameters == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (parameters->kernelParams == nullptr && parameters->extra != nullptr) {
      Notice(state, "cudaGraphAddKernelNode", cudaErrorNotSupported,
             "`extra` is not supported by the emulated GPU; use kernelParams");
      return cudaErrorNotSupported;
    }
    return PlanLaunch(state, parameters->func,
                      {.grid = parameters->gridDim,
                       .block = parameters->blockDim,
                       .shared_bytes = parameters->sharedMemBytes},
                      parameters->kernelParams, work);
  };
}

auto CopyPlan(const cudaMemcpy3DParms* parameters) {
  return [parameters](State& state, Work* work) {
    const cudaError_t error =
        parameters == nullptr ? cudaErrorInvalidValue : PlanCopy3D(state, *parameters, work);
    // An empty copy stays a copy, so that its parameters can be set.
    if (error == cudaSuccess && std::holds_alternative<std::monostate>(*work)) {
      *work = CopyWork{.height = 0, .kind = parameters->kind};
    }
    return error;
  };
}

auto LinearCopyPlan(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return [=](State& state, Work* work) {
    return PlanCopy(state,
                    {.to = {.address = std::bit_cast<std::uint64_t>(to)},
                     .from = {.address = std::bit_cast<std::uint64_t>(from)},
                     .width_bytes = size_bytes,
                     .kind = kind},
                    work);
  };
}

auto FillPlan(const cudaMemsetParams* parameters) {
  return [parameters](State& state, Work* work) {
    return parameters == nullptr
               ? cudaErrorInvalidValue
               : PlanFill(state,
                          {.address = std::bit_cast<std::uint64_t>(parameters->dst),
                           .pitch_bytes = parameters->pitch,
                           .value = parameters->value,
                           .element_bytes = parameters->elementSize,
                           .width = parameters->width,
                           .height = parameters->height},
                          work);
  };
}

auto HostPlan(const cudaHostNodeParams* parameters) {
  return [parameters](State&, Work* work) {
    if (parameters == nullptr || parameters->fn == nullptr) {
      return cudaErrorInvalidValue;
    }
    *work = HostWork{.function = parameters->fn, .data = parameters->userData};
    return cudaSuccess;
  };
}

auto EventPlan(EventWork::Kind kind, cudaEvent_t event) {
  return [=](State& state, Work* work) {
    if (FindEvent(state, event) == nullptr) {
      return cudaErrorInvalidValue;
    }
    *work = EventWork{.kind = kind, .event = event};
    return cudaSuccess;
  };
}

auto ChildPlan(cudaGraph_t child) {
  return [child](State& state, Work* work) {
    const CUgraph_st* const found = FindGraph(state, child);
    if (found == nullptr) {
      return cudaErrorInvalidValue;
    }
    *work = ChildWork{.graph = CloneGraph(state, *found)};
    return cudaSuccess;
  };
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return AddPlanned(node, graph, dependencies, count, [](State&, Work* work) {
    *work = std::monostate{};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return AddPlanned(node, graph, dependencies, count, KernelPlan(parameters));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return SetPlanned(node, KernelPlan(parameters));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return SetExecPlanned(exec, node, KernelPlan(parameters));
}

/// The parameters live as long as the node is not changed.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return Enter([&](State& state) {
    KernelWork* const work = WorkOf<KernelWork>(state, node);
    if (work == nullptr || parameters == nullptr) {
      return cudaErrorInvalidValue;
    }
    LaunchRequest& request = work->request;
    node->arguments.clear();
    for (const std::uint32_t offset : work->kernel->info.parameter_offsets) {
      node->arguments.push_back(request.parameters.data() + offset);
    }
    *parameters = {};
    parameters->func = const_cast<void*>(work->function);
    parameters->gridDim = dim3(request.grid[0], request.grid[1], request.grid[2]);
    parameters->blockDim = dim3(request.block[0], request.block[1], request.block[2]);
    parameters->sharedMemBytes = static_cast<unsigned>(request.dynamic_shared_bytes);
    parameters->kernelParams = node->arguments.data();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return AddPlanned(node, graph, dependencies, count, CopyPlan(parameters));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return SetPlanned(node, CopyPlan(parameters));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return SetExecPlanned(exec, node, CopyPlan(parameters));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t size_bytes,
                                     cudaMemcpyKind kind) {
  return AddPlanned(node, graph, dependencies, count, LinearCopyPlan(to, from, size_bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t size_bytes, cudaMemcpyKind kind) {
  return SetPlanned(node, LinearCopyPlan(to, from, size_bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t size_bytes,
                                               cudaMemcpyKind kind) {
  return SetExecPlanned(exec, node, LinearCopyPlan(to, from, size_bytes, kind));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  return AddPlanned(node, graph, dependencies, count, FillPlan(parameters));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return SetPlanned(node, FillPlan(parameters));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return SetExecPlanned(exec, node, FillPlan(parameters));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return Enter([&](State& state) {
    const FillWork* const work = WorkOf<FillWork>(state, node);
    if (work == nullptr || parameters == nullptr) {
      return cudaErrorInvalidValue;
    }
    *parameters = {.dst = std::bit_cast<void*>(work->address),
                   .pitch = work->pitch_bytes,
                   .value = work->value,
                   .elementSize = work->element_bytes,
                   .width = work->width,
                   .height = work->height};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  return AddPlanned(node, graph, dependencies, count, HostPlan(parameters));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return SetPlanned(node, HostPlan(parameters));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return SetExecPlanned(exec, node, HostPlan(parameters));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return Enter([&](State& state) {
    const HostWork* const work = WorkOf<HostWork>(state, node);
    if (work == nullptr || parameters == nullptr) {
      return cudaErrorInvalidValue;
    }
    *parameters = {.fn = work->function, .userData = work->data};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event) {
  return AddPlanned(node, graph, dependencies, count, EventPlan(EventWork::Kind::kRecord, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event) {
  return AddPlanned(node, graph, dependencies, count, EventPlan(EventWork::Kind::kWait, event));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  return AddPlanned(node, graph, dependencies, count, ChildPlan(child));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  return Enter([&](State& state) {
    const ChildWork* const work = WorkOf<ChildWork>(state, node);
    if (work == nullptr || child == nullptr) {
      return cudaErrorInvalidValue;
    }
    *child = work->graph.get();
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime

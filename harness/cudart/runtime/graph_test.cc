// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "cudart/runtime/cuda11_test.h"
#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

class GraphTest : public RuntimeTest {
 protected:
  GraphTest() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking);
    cudaGraphCreate(&graph_, 0);
  }

  cudaGraphNode_t AddKernel(std::vector<cudaGraphNode_t> after, unsigned blocks) {
    int first = 1;
    double second = 2;
    std::array<void*, 2> arguments{&first, &second};
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(kernel());
    parameters.gridDim = dim3(blocks);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments.data();
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph_, after.data(), after.size(), &parameters),
              cudaSuccess);
    return node;
  }

  /// Grid sizes of the launches so far, in order.
  static std::vector<std::uint32_t> Grids() {
    std::vector<std::uint32_t> grids;
    for (const LaunchRequest& request : Fake().launches) {
      grids.push_back(request.grid[0]);
    }
    return grids;
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

using ::testing::ElementsAre;

TEST_F(GraphTest, CapturesWorkAndReplaysIt) {
  int in = 5;
  int out = 0;
  int calls = 0;
  void* const device = Allocated(8);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaMemcpyAsync(device, &in, 4, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(static_cast<char*>(device) + 4, 1, 4, stream_), cudaSuccess);
  EXPECT_EQ(Launch(3, 32, 0, stream_), cudaSuccess);
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  EXPECT_EQ(cudaLaunchHostFunc(stream_, count, &calls), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(&out, device, 4, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_TRUE(Fake().launches.empty());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(out, 0);

  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 5U);
  EXPECT_EQ(cudaGraphGetRootNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1U);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (in = 6; in < 8; ++in) {
    EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    EXPECT_EQ(out, in);
  }
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(Grids(), ElementsAre(3, 3));
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaErrorInvalidValue);
}

TEST_F(GraphTest, CapturesForkAndJoin) {
  cudaEvent_t fork = nullptr;
  cudaEvent_t join = nullptr;
  cudaGraph_t graph = nullptr;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(Launch(1, 1, 0, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, fork, 0), cudaSuccess);
  EXPECT_EQ(Launch(2, 1, 0, other_), cudaSuccess);
  EXPECT_EQ(Launch(3, 1, 0, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(join, other_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, join, 0), cudaSuccess);
  EXPECT_EQ(Launch(4, 1, 0, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  std::size_t edges = 0;
  EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(edges, 4U);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(other_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, fork, join), cudaErrorCapturedEvent);
}

TEST_F(GraphTest, RefusesCapturesThatAreNotJoined) {
  cudaEvent_t fork = nullptr;
  cudaGraph_t graph = graph_;
  cudaEventCreate(&fork);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, fork, 0), cudaSuccess);
  EXPECT_EQ(Launch(2, 1, 0, other_), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(Launch(5, 1, 0, other_), cudaSuccess);
  EXPECT_THAT(Grids(), ElementsAre(5));
}

TEST_F(GraphTest, RefusesWhatACaptureForbids) {
  cudaGraph_t graph = nullptr;
  void* pointer = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(Launch(1, 1, 0, stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);

  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);

  cudaStream_t blocking = nullptr;
  cudaStreamCreate(&blocking);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(Launch(1, 1), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
}

TEST_F(GraphTest, RunsNodesInTheOrderOfTheirEdges) {
  const cudaGraphNode_t last = AddKernel({}, 3);
  const cudaGraphNode_t first = AddKernel({}, 1);
  const cudaGraphNode_t middle = AddKernel({first}, 2);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &middle, &last, nullptr, 1), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_THAT(Grids(), ElementsAre(1, 2, 3));
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &last, &first, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaErrorInvalidValue);
}

TEST_F(GraphTest, ChangesParameters) {
  const cudaGraphNode_t node = AddKernel({}, 1);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaSuccess);
  cudaKernelNodeParams parameters{};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(node, &parameters), cudaSuccess);
  EXPECT_EQ(parameters.gridDim.x, 1U);
  EXPECT_EQ(*static_cast<double*>(parameters.kernelParams[1]), 2.0);
  parameters.gridDim = dim3(7);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, node, &parameters), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeSetEnabled(exec, node, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_THAT(Grids(), ElementsAre(7));
  parameters.gridDim = dim3(0);
  EXPECT_EQ(cudaGraphKernelNodeSetParams(node, &parameters), cudaErrorInvalidConfiguration);
}

TEST_F(GraphTest, UpdatesAnExecOfTheSameShape) {
  AddKernel({}, 1);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaSuccess);
  cudaGraphDestroy(graph_);
  cudaGraphCreate(&graph_, 0);
  AddKernel({}, 9);
  cudaGraphExecUpdateResultInfo result{};
  EXPECT_EQ(cudaGraphExecUpdate(exec, graph_, &result), cudaSuccess);
  EXPECT_EQ(result.result, cudaGraphExecUpdateSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_THAT(Grids(), ElementsAre(9));
  AddKernel({}, 1);
  EXPECT_EQ(cudaGraphExecUpdate(exec, graph_, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
}

TEST_F(GraphTest, HoldsGraphs) {
  AddKernel({}, 4);
  cudaGraph_t outer = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphCreate(&outer, 0);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, graph_), cudaSuccess);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, outer, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(outer), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(outer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  EXPECT_THAT(Grids(), ElementsAre(4));
}

TEST_F(GraphTest, StopsAtAFault) {
  const cudaGraphNode_t first = AddKernel({}, 1);
  AddKernel({first}, 2);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaSuccess);
  Fake().outcome = {.error = cudaErrorLaunchFailure, .sticky = true, .detail = {}};
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_THAT(Grids(), ElementsAre(1));
}

}  // namespace
}  // namespace assay::gpu::runtime

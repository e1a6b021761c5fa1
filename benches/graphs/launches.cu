// The CUDA version of launches.cpp: 100 small kernels that follow each other, submitted to a stream
// and as a graph. Prints microseconds of wall time per round.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kernels = 100, items = 16, launches = 200, rounds = 10;

__global__ void add(unsigned *a) {
  if (threadIdx.x < items)
    a[threadIdx.x] += 1;
}

template <class F> void measure(double &best, F f) {
  const auto wall = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - wall;
  best = std::min(best, passed.count() / launches * 1e6);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  unsigned *a;
  cudaMalloc(&a, items * sizeof *a);
  cudaMemset(a, 0, items * sizeof *a);
  auto submit = [&] {
    for (int k = 0; k < kernels; ++k)
      add<<<1, items, 0, stream>>>(a);
  };
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  submit();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  for (int i = 0; i < 20; ++i) {
    submit();
    cudaGraphLaunch(exec, stream);
  }
  cudaStreamSynchronize(stream);
  double one_by_one = 1e30, as_graph = 1e30, back_to_back = 1e30;
  for (int round = 0; round < rounds; ++round) {
    measure(one_by_one, [&] {
      for (int i = 0; i < launches; ++i) {
        submit();
        cudaStreamSynchronize(stream);
      }
    });
    measure(as_graph, [&] {
      for (int i = 0; i < launches; ++i) {
        cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
      }
    });
    measure(back_to_back, [&] {
      for (int i = 0; i < launches; ++i)
        cudaGraphLaunch(exec, stream);
      cudaStreamSynchronize(stream);
    });
  }
  unsigned seen = 0;
  cudaMemcpy(&seen, a + items - 1, sizeof seen, cudaMemcpyDeviceToHost);
  const unsigned expected = kernels * (40 + 3u * rounds * launches);
  std::printf("submitted %.2f\ngraph %.2f\nback-to-back %.2f\n", one_by_one, as_graph,
              back_to_back);
  if (seen != expected)
    std::printf("wrong: %u instead of %u\n", seen, expected);
  return seen != expected;
}

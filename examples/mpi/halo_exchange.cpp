// A halo exchange with SYCL and MPI: each rank owns some rows of a grid and updates each point from
// its four neighbours. The ranks exchange the rows at their borders while the device updates the
// other rows. The results do not depend on the number of ranks.
//
//   OMPI_CXX=scythe mpicxx -fsycl -O2 halo_exchange.cpp -o halo_exchange
//   mpirun -n 4 ./halo_exchange [--width N] [--height N] [--steps N] [--staged]
//                               [--throw-on RANK] [--kill RANK]
//
// MPI gets device memory if it can access it, otherwise copies in host memory; --staged forces the
// copies. --throw-on and --kill let a rank fail, to show that the job ends with an error.
// This program uses only MPI's C interface.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <sycl/sycl.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Options {
  std::size_t width = 1024, height = 1024, steps = 50;
  bool staged = false;
  int throw_on = -1, kill = -1;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--staged") {
      options.staged = true;
      continue;
    }
    if (i + 1 == argc)
      throw std::invalid_argument("'" + word + "' is unknown, or its value is missing");
    const long value = std::atol(argv[++i]);
    if (word == "--width" && value > 0)
      options.width = static_cast<std::size_t>(value);
    else if (word == "--height" && value > 0)
      options.height = static_cast<std::size_t>(value);
    else if (word == "--steps" && value > 0)
      options.steps = static_cast<std::size_t>(value);
    else if (word == "--throw-on")
      options.throw_on = static_cast<int>(value);
    else if (word == "--kill")
      options.kill = static_cast<int>(value);
    else
      throw std::invalid_argument("'" + word + " " + argv[i] + "' is not an option");
  }
  return options;
}

// The ranks of the job, and those of this machine.
struct Ranks {
  int rank = 0, size = 1, local_rank = 0;

  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &local_rank);
    MPI_Comm_free(&local);
  }
};

// One GPU for each rank of a machine, in turn; without GPUs, the CPU, which the ranks share.
sycl::device device_of(int local_rank) {
  const auto gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (gpus.empty())
    return sycl::device(sycl::default_selector_v);
  return gpus[static_cast<std::size_t>(local_rank) % gpus.size()];
}

// Whether MPI can read and write the memory of sycl::malloc_device. On a CPU it is the memory of
// the process.
bool mpi_accesses(const sycl::device &device) {
  if (device.is_cpu())
    return true;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  if (device.get_backend() == sycl::backend::ext_oneapi_cuda)
    return MPIX_Query_cuda_support() == 1;
#endif
  return false;
}

// The rows of one rank, with a row of each neighbour above and below them.
class Part {
public:
  Part(sycl::queue &queue, const Ranks &ranks, const Options &options)
      : queue_(queue), width_(options.width) {
    const std::size_t rank = static_cast<std::size_t>(ranks.rank);
    const std::size_t size = static_cast<std::size_t>(ranks.size);
    first_ = options.height * rank / size;
    rows_ = options.height * (rank + 1) / size - first_;
    if (options.height / size < 2)
      throw std::invalid_argument("each rank needs at least two rows");
    // The grid is a ring: the first and the last rank are neighbours.
    above_ = (ranks.rank + ranks.size - 1) % ranks.size;
    below_ = (ranks.rank + 1) % ranks.size;
    old_ = allocate((rows_ + 2) * width_);
    new_ = allocate((rows_ + 2) * width_);
    if (options.staged || !mpi_accesses(queue.get_device())) {
      stage_ = sycl::malloc_host<float>(4 * width_, queue_);
      if (!stage_)
        throw std::bad_alloc();
    }
    fill();
  }

  Part(const Part &) = delete;
  Part &operator=(const Part &) = delete;

  ~Part() {
    for (float *memory : {old_, new_, stage_})
      if (memory)
        sycl::free(memory, queue_);
  }

  bool staged() const { return stage_ != nullptr; }
  std::size_t first() const { return first_; }
  std::size_t rows() const { return rows_; }
  double waited() const { return waited_; }

  // One step. Messages travel while the device updates the rows that need no neighbour.
  void step() {
    start_exchange();
    update(2, rows_ - 2);
    // MPI waits in a loop that occupies a processor, which a CPU device needs. SYCL's wait takes
    // part in the update instead.
    if (queue_.get_device().is_cpu())
      queue_.wait_and_throw();
    finish_exchange();
    update(1, 1);
    update(rows_, 1);
    queue_.wait_and_throw();
    std::swap(old_, new_);
  }

  // A number that depends on the bits of all points of the grid. Rank 0 gets it.
  std::uint64_t checksum() const {
    std::vector<float> values(rows_ * width_);
    queue_.copy(old_ + width_, values.data(), values.size()).wait();
    std::uint64_t sum = 0, all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, &values[i], sizeof bits);
      sum += bits * ((first_ * width_ + i) * 2 + 1);
    }
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
  }

private:
  float *allocate(std::size_t count) {
    float *memory = sycl::malloc_device<float>(count, queue_);
    if (!memory)
      throw std::bad_alloc();
    return memory;
  }

  void fill() {
    const std::size_t width = width_, first = first_;
    float *values = old_ + width;
    queue_
        .parallel_for(sycl::range<2>(rows_, width),
                      [=](sycl::item<2> item) {
                        const std::size_t y = first + item[0], x = item[1];
                        const std::size_t value = (y * 7919 + x * 104729) % 1000;
                        values[item.get_linear_id()] = static_cast<float>(value) / 1000;
                      })
        .wait();
    queue_.copy(old_, new_, (rows_ + 2) * width).wait();
  }

  // Updates `count` rows from row `row` of this rank, where row 0 is the neighbour's. The first and
  // the last column keep their values.
  void update(std::size_t row, std::size_t count) {
    if (count == 0)
      return;
    const std::size_t width = width_;
    const float *from = old_ + row * width;
    float *to = new_ + row * width;
    queue_.parallel_for(sycl::range<2>(count, width), [=](sycl::item<2> item) {
      const std::size_t x = item[1], at = item.get_linear_id();
      const float *point = from + at;
      if (x == 0 || x == width - 1)
        to[at] = *point;
      else
        to[at] = 0.25f * (*(point - width) + *(point + width) + point[-1] + point[1]);
    });
  }

  void start_exchange() {
    const int count = static_cast<int>(width_);
    float *top = old_ + width_, *bottom = old_ + rows_ * width_;
    float *over = old_, *under = old_ + (rows_ + 1) * width_;
    if (stage_) {
      queue_.copy(top, stage_, width_);
      queue_.copy(bottom, stage_ + width_, width_);
      queue_.wait_and_throw();
      top = stage_, bottom = stage_ + width_;
      over = stage_ + 2 * width_, under = stage_ + 3 * width_;
    }
    MPI_Irecv(over, count, MPI_FLOAT, above_, 0, MPI_COMM_WORLD, &requests_[0]);
    MPI_Irecv(under, count, MPI_FLOAT, below_, 1, MPI_COMM_WORLD, &requests_[1]);
    MPI_Isend(bottom, count, MPI_FLOAT, below_, 0, MPI_COMM_WORLD, &requests_[2]);
    MPI_Isend(top, count, MPI_FLOAT, above_, 1, MPI_COMM_WORLD, &requests_[3]);
  }

  void finish_exchange() {
    const double begin = MPI_Wtime();
    MPI_Waitall(4, requests_, MPI_STATUSES_IGNORE);
    waited_ += MPI_Wtime() - begin;
    if (stage_) {
      queue_.copy(stage_ + 2 * width_, old_, width_);
      queue_.copy(stage_ + 3 * width_, old_ + (rows_ + 1) * width_, width_);
    }
  }

  sycl::queue &queue_;
  std::size_t width_, first_ = 0, rows_ = 0;
  int above_ = 0, below_ = 0;
  float *old_ = nullptr, *new_ = nullptr, *stage_ = nullptr;
  MPI_Request requests_[4];
  double waited_ = 0;
};

void run(const Ranks &ranks, const Options &options) {
  sycl::queue queue(device_of(ranks.local_rank), sycl::property::queue::in_order());
  Part part(queue, ranks, options);
  const sycl::device device = queue.get_device();
  std::printf("rank %d of %d: rows %zu to %zu, %u compute units of %s, %s\n", ranks.rank,
              ranks.size, part.first(), part.first() + part.rows() - 1,
              device.get_info<sycl::info::device::max_compute_units>(),
              device.get_info<sycl::info::device::name>().c_str(),
              part.staged() ? "MPI gets copies" : "MPI gets device memory");
  std::fflush(stdout);
  part.step(); // builds the kernels
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime(), waited = part.waited();
  for (std::size_t step = 1; step < options.steps; ++step) {
    if (ranks.rank == options.throw_on && step == options.steps / 2)
      throw std::runtime_error("this rank was asked to fail");
    if (ranks.rank == options.kill && step == options.steps / 2)
      std::raise(SIGKILL);
    part.step();
  }
  double times[2] = {MPI_Wtime() - begin, part.waited() - waited}, longest[2];
  MPI_Reduce(times, longest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const std::uint64_t checksum = part.checksum();
  const double steps = static_cast<double>(std::max<std::size_t>(options.steps - 1, 1));
  if (ranks.rank == 0)
    std::printf("checksum %016llx, %.3f ms per step, %.3f ms of it waiting for messages\n",
                static_cast<unsigned long long>(checksum), 1e3 * longest[0] / steps,
                1e3 * longest[1] / steps);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const Ranks ranks;
  try {
    run(ranks, parse(argc, argv));
  } catch (const std::exception &error) {
    // The other ranks wait for messages of this one. MPI_Abort ends them, too.
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

// Loops of Kokkos, on the execution space that Kokkos was configured for: SYCL or CUDA.
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../cuda/measure.hpp"

using View = Kokkos::View<double *>;
using Matrix = Kokkos::View<double **, Kokkos::LayoutRight>;
using Cube = Kokkos::View<double ***, Kokkos::LayoutRight>;
using Team = Kokkos::TeamPolicy<>::member_type;

template <class V> double first(const V &view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return host.data()[0];
}

// A loop on one dimension: a = b + 3 c.
void triad(std::size_t n) {
  View a("a", n), b("b", n), c("c", n);
  Kokkos::deep_copy(b, 1.0);
  Kokkos::deep_copy(c, 2.0);
  measure("triad", 20, [&] {
    Kokkos::parallel_for("triad", n, KOKKOS_LAMBDA(std::size_t i) { a(i) = b(i) + 3 * c(i); });
    Kokkos::fence();
  });
  check("triad", first(a), 7, 0);
}

void dot(std::size_t n) {
  View a("a", n), b("b", n);
  Kokkos::deep_copy(a, 2.0);
  Kokkos::deep_copy(b, 0.5);
  double sum = 0;
  measure("dot", 20, [&] {
    Kokkos::parallel_reduce(
        "dot", n, KOKKOS_LAMBDA(std::size_t i, double &x) { x += a(i) * b(i); }, sum);
  });
  check("dot", sum, double(n), 1e-12);
}

void scan(std::size_t n) {
  Kokkos::View<int *> a("a", n), b("b", n);
  Kokkos::deep_copy(a, 1);
  int sum = 0;
  measure("scan", 20, [&] {
    Kokkos::parallel_scan(
        "scan", n,
        KOKKOS_LAMBDA(std::size_t i, int &x, bool last) {
          x += a(i);
          if (last)
            b(i) = x;
        },
        sum);
  });
  check("scan", sum, double(n), 0);
}

// A loop on three dimensions: the sum of a cell and its six neighbours.
void stencil(std::size_t n) {
  Cube a("a", n, n, n), b("b", n, n, n);
  Kokkos::deep_copy(a, 1.0);
  const Kokkos::MDRangePolicy<Kokkos::Rank<3>> inner({1, 1, 1}, {n - 1, n - 1, n - 1});
  measure("stencil", 20, [&] {
    Kokkos::parallel_for(
        "stencil", inner, KOKKOS_LAMBDA(std::size_t i, std::size_t j, std::size_t k) {
          b(i, j, k) = a(i, j, k) + a(i - 1, j, k) + a(i + 1, j, k) + a(i, j - 1, k) +
                       a(i, j + 1, k) + a(i, j, k - 1) + a(i, j, k + 1);
        });
    Kokkos::fence();
  });
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", inner,
      KOKKOS_LAMBDA(std::size_t i, std::size_t j, std::size_t k, double &x) { x += b(i, j, k); },
      sum);
  check("stencil", sum, 7 * std::pow(double(n - 2), 3), 1e-12);
}

// A team for each row, whose threads share the columns.
void product(std::size_t n) {
  Matrix m("m", n, n);
  View x("x", n), y("y", n);
  Kokkos::deep_copy(m, 1.0);
  Kokkos::deep_copy(x, 2.0);
  measure("product", 20, [&] {
    Kokkos::parallel_for(
        "product", Kokkos::TeamPolicy<>(int(n), Kokkos::AUTO), KOKKOS_LAMBDA(const Team &team) {
          const int row = team.league_rank();
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, n),
              [&](std::size_t column, double &part) { part += m(row, column) * x(column); }, sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { y(row) = sum; });
        });
    Kokkos::fence();
  });
  check("product", first(y), 2.0 * double(n), 1e-12);
}

// Teams that share a tile in scratch memory: the transpose of a matrix.
void transpose(std::size_t n) {
  constexpr int tile = 32;
  using Tile =
      Kokkos::View<double[tile][tile + 1], Kokkos::LayoutRight,
                   Kokkos::DefaultExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Matrix a("a", n, n), b("b", n, n);
  Kokkos::parallel_for("fill", n * n, KOKKOS_LAMBDA(std::size_t i) { a.data()[i] = double(i); });
  const int tiles = int(n) / tile;
  auto policy = Kokkos::TeamPolicy<>(tiles * tiles, 256)
                    .set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size()));
  measure("transpose", 20, [&] {
    Kokkos::parallel_for(
        "transpose", policy, KOKKOS_LAMBDA(const Team &team) {
          const Tile part(team.team_scratch(0));
          const int row = team.league_rank() / tiles * tile;
          const int column = team.league_rank() % tiles * tile;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile * tile), [&](int i) {
            part(i / tile, i % tile) = a(row + i / tile, column + i % tile);
          });
          team.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile * tile), [&](int i) {
            b(column + i / tile, row + i % tile) = part(i % tile, i / tile);
          });
        });
    Kokkos::fence();
  });
  std::size_t wrong = 0;
  Kokkos::parallel_reduce(
      "compare", n * n,
      KOKKOS_LAMBDA(std::size_t i, std::size_t &x) { x += b(i % n, i / n) != double(i); }, wrong);
  check("transpose", double(wrong), 0, 0);
}

void histogram(std::size_t n) {
  constexpr std::size_t bins = 4096;
  Kokkos::View<int *> counts("counts", bins);
  measure("histogram", 20, [&] {
    Kokkos::deep_copy(counts, 0);
    Kokkos::parallel_for(
        "histogram", n, KOKKOS_LAMBDA(std::size_t i) {
          const std::uint32_t x = (std::uint32_t(i) ^ std::uint32_t(i >> 16)) * 0x7feb352du;
          Kokkos::atomic_inc(&counts(x >> 20));
        });
    Kokkos::fence();
  });
  int sum = 0;
  Kokkos::parallel_reduce(
      "sum", bins, KOKKOS_LAMBDA(std::size_t i, int &x) { x += counts(i); }, sum);
  check("histogram", sum, double(n), 0);
}

// The time of a launch of an empty loop, with a wait and without.
void launches() {
  constexpr int count = 1000;
  const auto empty = KOKKOS_LAMBDA(int){};
  measure("launch_and_wait", 20, [&] {
    for (int i = 0; i < count; ++i) {
      Kokkos::parallel_for("empty", 1, empty);
      Kokkos::fence();
    }
  });
  measure("launches", 20, [&] {
    for (int i = 0; i < count; ++i)
      Kokkos::parallel_for("empty", 1, empty);
    Kokkos::fence();
  });
}

// The program's argument is a divisor of the sizes, for a test on a small machine.
int main(int argc, char **argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  const std::size_t divisor = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::size_t n = (std::size_t(1) << 27) / divisor;
  const std::size_t side = std::size_t(std::cbrt(double(n))) / 32 * 32;
  const std::size_t square = std::size_t(std::sqrt(double(n))) / 32 * 32;
  triad(n);
  dot(n);
  scan(n);
  stencil(side);
  product(square);
  transpose(square);
  histogram(n);
  launches();
}

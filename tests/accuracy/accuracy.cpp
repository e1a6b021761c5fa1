// Measures the maths functions of SYCL kernels against MPFR, and fails where an error is above the
// specification's limit.
//
//     accuracy [--full] [--points N] [--table] [FUNCTION...]
//
// --full takes 2^20 points per function and type, the default is 2^14; --table prints the table of
// docs/maths.md. Points are the same in every run.
#include "functions.hpp"
#include "points.hpp"
#include "reference.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace accuracy {

struct settings {
  std::size_t points = std::size_t(1) << 14;
  bool table = false;
  std::vector<std::string> only;

  bool wants(const std::string &name) const {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  }
};

// The largest error found, and where.
struct finding {
  double error = 0;
  double x = 0, y = 0, result = 0;
  int n = 0;
};

struct row {
  std::string name;
  double limits[2] = {-1, -1};
  finding found[2];
  bool measured[2] = {false, false};
};

template <class T> finding compare(const char *name, const points<T> &in, const T *out) {
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<finding> worst(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      for (std::size_t i = t; i < in.count; i += threads) {
        const double e = error(name, out[i], in.x[i], in.y[i], in.n[i]);
        if (e > worst[t].error)
          worst[t] = {e, in.x[i], in.y[i], out[i], in.n[i]};
      }
    });
  for (std::thread &w : workers)
    w.join();
  return *std::max_element(worst.begin(), worst.end(),
                           [](const finding &a, const finding &b) { return a.error < b.error; });
}

// Runs `function(x, y, n)` as a kernel over all points.
template <class T, class Function>
finding measure(sycl::queue &q, const char *name, points<T> &in, Function function) {
  T *out = sycl::malloc_shared<T>(in.count, q);
  const T *x = in.x, *y = in.y;
  const int *n = in.n;
  q.parallel_for(sycl::range<1>(in.count), [=](sycl::id<1> i) {
     out[i] = function(x[i], y[i], n[i]);
   }).wait();
  const finding found = compare(name, in, out);
  sycl::free(out, q);
  return found;
}

struct intervals {
  double x_low, x_high, y_low, y_high;
  bool anywhere;
};

template <class Function>
row measure_both(sycl::queue &q, const settings &s, const char *name, double limit_f,
                 double limit_d, intervals where, Function function) {
  row r{name, {limit_f, limit_d}, {}, {true, true}};
  points<float> in_float(q, s.points, where.x_low, where.x_high, where.y_low, where.y_high,
                         where.anywhere);
  r.found[0] = measure(q, name, in_float, function);
  points<double> in_double(q, s.points, where.x_low, where.x_high, where.y_low, where.y_high,
                           where.anywhere);
  r.found[1] = measure(q, name, in_double, function);
  return r;
}

template <class Function>
row measure_float(sycl::queue &q, const settings &s, const char *name, double limit,
                  intervals where, Function function) {
  row r{name, {limit, -1}, {}, {true, false}};
  points<float> in(q, s.points, where.x_low, where.x_high, where.y_low, where.y_high,
                   where.anywhere);
  r.found[0] = measure(q, name, in, function);
  return r;
}

// SYCL's functions, out of sight of the C library's, and names for parts of functions with two
// results and an operator.
namespace tested {
using namespace sycl;
template <class T> T sine_of_sincos(T x) {
  T cosine;
  return sycl::sincos(x, &cosine);
}
template <class T> T cosine_of_sincos(T x) {
  T cosine;
  sycl::sincos(x, &cosine);
  return cosine;
}
template <class T> T divide(T x, T y) { return x / y; }
} // namespace tested

std::vector<row> measure_all(sycl::queue &q, const settings &s) {
  std::vector<row> rows;
#define SCYTHE_ONE(name, limit_f, limit_d, low, high)                                              \
  if (s.wants(#name))                                                                              \
    rows.push_back(measure_both(q, s, #name, limit_f, limit_d, {low, high, 0, 0, true},            \
                                [](auto x, auto, int) { return tested::name(x); }));
#define SCYTHE_TWO(name, limit_f, limit_d, x_low, x_high, y_low, y_high)                           \
  if (s.wants(#name))                                                                              \
    rows.push_back(measure_both(q, s, #name, limit_f, limit_d,                                     \
                                {x_low, x_high, y_low, y_high, true},                              \
                                [](auto x, auto y, int) { return tested::name(x, y); }));
#define SCYTHE_INT(name, limit_f, limit_d, x_low, x_high, n_low, n_high)                           \
  if (s.wants(#name))                                                                              \
    rows.push_back(measure_both(q, s, #name, limit_f, limit_d,                                     \
                                {x_low, x_high, n_low, n_high, true},                              \
                                [](auto x, auto, int n) { return tested::name(x, n); }));
#define SCYTHE_HALF(name, low, high, half_high)                                                    \
  if (s.wants("half_precision::" #name))                                                           \
    rows.push_back(measure_float(                                                                  \
        q, s, "half_precision::" #name, 8192,                                                      \
        {half_high > 0 ? -half_high : low, half_high > 0 ? half_high : high, 0, 0, false},         \
        [](float x, float, int) { return sycl::half_precision::name(x); }));
#define SCYTHE_NATIVE(name, low, high, half_high)                                                  \
  if (s.wants("native::" #name))                                                                   \
    rows.push_back(measure_float(q, s, "native::" #name, -1, {low, high, 0, 0, false},             \
                                 [](float x, float, int) { return sycl::native::name(x); }));
  SCYTHE_ACCURACY_ONE(SCYTHE_ONE)
  SCYTHE_ACCURACY_TWO(SCYTHE_TWO)
  SCYTHE_ACCURACY_INT(SCYTHE_INT)
  SCYTHE_ACCURACY_RELAXED(SCYTHE_HALF)
  if (s.wants("half_precision::divide"))
    rows.push_back(
        measure_float(q, s, "half_precision::divide", 8192, {-10, 10, 0.1, 10, false},
                      [](float x, float y, int) { return sycl::half_precision::divide(x, y); }));
  if (s.wants("half_precision::powr"))
    rows.push_back(
        measure_float(q, s, "half_precision::powr", 8192, {0, 20, -25, 25, false},
                      [](float x, float y, int) { return sycl::half_precision::powr(x, y); }));
  SCYTHE_ACCURACY_RELAXED(SCYTHE_NATIVE)
  if (s.wants("native::divide"))
    rows.push_back(measure_float(q, s, "native::divide", -1, {-10, 10, 0.1, 10, false},
                                 [](float x, float y, int) { return sycl::native::divide(x, y); }));
  if (s.wants("native::powr"))
    rows.push_back(measure_float(q, s, "native::powr", -1, {0, 20, -25, 25, false},
                                 [](float x, float y, int) { return sycl::native::powr(x, y); }));
  return rows;
}

std::string cell(double value, bool there) {
  if (!there)
    return "";
  if (value >= wrong)
    return "wrong";
  char text[32];
  std::snprintf(text, sizeof text, value < 1000 ? "%.2f" : "%.0f", value);
  return text;
}

std::string limit_text(double limit, bool there) {
  if (!there)
    return "";
  char text[32];
  std::snprintf(text, sizeof text, "%g", limit);
  return limit < 0 ? "none" : text;
}

// Prints all rows; true when all are within their limits.
bool report(const std::vector<row> &rows, const settings &s) {
  bool good = true;
  std::printf(
      "| function | limit, float | float | limit, double | double |\n|---|---|---|---|---|\n");
  for (const row &r : rows) {
    std::printf("| `%s` | %s | %s | %s | %s |\n", r.name.c_str(),
                limit_text(r.limits[0], r.measured[0]).c_str(),
                cell(r.found[0].error, r.measured[0]).c_str(),
                limit_text(r.limits[1], r.measured[1]).c_str(),
                cell(r.found[1].error, r.measured[1]).c_str());
    for (int t = 0; t < 2; ++t) {
      const finding &f = r.found[t];
      const bool over = r.measured[t] && r.limits[t] >= 0 && f.error > r.limits[t];
      good = good && !over;
      if (over || (!s.table && r.measured[t] && f.error >= wrong))
        std::fprintf(stderr, "%s: %s in %s is %g ulp off at x=%a y=%a n=%d: %a\n",
                     over ? "error" : "note", r.name.c_str(), t == 0 ? "float" : "double", f.error,
                     f.x, f.y, f.n, f.result);
    }
  }
  return good;
}

} // namespace accuracy

int main(int argc, char **argv) {
  accuracy::settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--full")
      s.points = std::size_t(1) << 20;
    else if (arg == "--table")
      s.table = true;
    else if (arg == "--points" && i + 1 < argc)
      s.points = std::max(1024ul, std::strtoul(argv[++i], nullptr, 10));
    else if (arg.rfind("-", 0) == 0) {
      std::fprintf(stderr, "accuracy: '%s' is none of --full, --points N, --table\n", arg.c_str());
      return 2;
    } else
      s.only.push_back(arg);
  }
  sycl::queue q;
  const bool good = accuracy::report(accuracy::measure_all(q, s), s);
  std::printf(good ? "all within their limits\n" : "some above their limits\n");
  return good ? 0 : 1;
}

// Replaces the clocks that C++ programs read by the processor time of the process, so that other
// processes on the machine do not change the times that a program prints. It is a library for
// LD_PRELOAD. The clocks of Scythe's runtime, which is no C++ program, stay.
#include <chrono>
#include <ctime>

#include <sys/time.h>

namespace {
long long processor_time() {
  timespec now;
  // With a limit of the processor time, Linux returns the time at the last tick, some milliseconds
  // ago. It brings the time of the process up to date when a thread asks for its own time.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}
} // namespace

namespace std::chrono::_V2 {
system_clock::time_point system_clock::now() noexcept {
  return time_point(duration(processor_time()));
}
steady_clock::time_point steady_clock::now() noexcept {
  return time_point(duration(processor_time()));
}
} // namespace std::chrono::_V2

extern "C" int gettimeofday(timeval *__restrict now, void *__restrict) noexcept {
  const long long time = processor_time();
  now->tv_sec = time / 1000000000;
  now->tv_usec = time / 1000 % 1000000;
  return 0;
}

extern "C" double omp_get_wtime() { return processor_time() * 1e-9; }

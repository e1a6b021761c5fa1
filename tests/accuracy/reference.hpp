// What MPFR says a function's value is, and how far a result is from it.
#ifndef SCYTHE_ACCURACY_REFERENCE_HPP
#define SCYTHE_ACCURACY_REFERENCE_HPP

namespace accuracy {

// A result that should have been NaN, or should not: no distance.
constexpr double wrong = 1e30;

// The error of `result` in units in the last place of the exact value, for `name` of x, of x and y,
// or of x and n. An unknown name ends the program with a message. Functions may be called from
// several threads.
double error(const char *name, float result, float x, float y, int n);
double error(const char *name, double result, double x, double y, int n);

} // namespace accuracy

#endif

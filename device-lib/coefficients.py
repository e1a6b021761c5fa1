#!/usr/bin/env python3
r"""Writes device-lib/cpu/coefficients.hpp: the polynomials of the CPU's maths functions.

    out=device-lib/cpu/coefficients.hpp
    python3 device-lib/coefficients.py | clang-format-22 --assume-filename=$out > $out.new
    mv $out.new $out

Each polynomial interpolates its function at Chebyshev nodes. This needs no iteration, and the error
is less than twice the error of the best polynomial. The comment above each polynomial gives its
interval and its largest error: `weight` times the difference, measured with the rounded
coefficients. The script needs mpmath. The output depends only on this file.
"""

import struct

from mpmath import asin, atan, atanh, cos, erf, erfc, exp, log, log1p, matrix, lu_solve, mp, mpf, pi
from mpmath import sin, sinh, sqrt, tanh

mp.dps = 60


def rounded(x, kind):
    if kind == "float":
        return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])
    return mpf(float(x))


def text(x, kind):
    return float(x).hex() + ("f" if kind == "float" else "")


def interpolate(f, low, high, degree):
    n = degree + 1
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    a = matrix(n, n)
    b = matrix(n, 1)
    for i, x in enumerate(nodes):
        for j in range(n):
            a[i, j] = x**j
        b[i] = f(x)
    return list(lu_solve(a, b))


def largest_error(f, low, high, c, weight):
    worst = mpf(0)
    for i in range(201):
        x = low + (high - low) * i / 200
        value = mpf(0)
        for k in reversed(c):
            value = value * x + k
        worst = max(worst, abs((value - f(x)) * weight(x)))
    return worst


def series(f, at_zero):
    """Returns `f` with its limit near zero, where the formula would divide zero by zero."""
    return lambda t: at_zero if abs(t) < mpf(10) ** -25 else f(t)


def erfc_scaled(k):
    # u = (x - k) / (x + k) runs over (-1, 1) for x > 0. (1 + 2x) exp(x²) erfc(x) is smooth in u.
    def f(u):
        x = k * (1 + u) / (1 - u)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    return f


R = sqrt(2)
LN2 = log(2)
LOG_LOW, LOG_HIGH = 1 / R - 1 - mpf(2) ** -20, R - 1 + mpf(2) ** -20
HALF_LN2 = LN2 / 2 * (1 + mpf(2) ** -10)
K = mpf("3.75")
U = lambda x: (x - K) / (x + K)

# name, what it is, function, interval, weight, {type: degree}
TABLE = [
    ("exp_tail", "(exp(r) - 1 - r) / r²", series(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2),
     -HALF_LN2, HALF_LN2,
     lambda r: r * r, {"float": 4, "double": 9}),
    ("exp2_tail", "(2^r - 1) / r", series(lambda r: (exp(r * LN2) - 1) / r, LN2), mpf(-0.5),
     mpf(0.5),
     lambda r: r, {"float": 5, "double": 10}),
    ("exp10_tail", "(10^r - 1) / r", series(lambda r: (exp(r * log(10)) - 1) / r, log(10)),
     mpf("-0.1507"), mpf("0.1507"),
     lambda r: r, {"float": 5, "double": 10}),
    ("log_tail", "(log(1 + f) - f) / f²", series(lambda f: (log1p(f) - f) / f**2, mpf(-1) / 2),
     LOG_LOW, LOG_HIGH,
     lambda f: f, {"float": 8}),
    ("log_ratio_tail", "(log((1 + s) / (1 - s)) - 2 s) / s³ in t = s²",
     series(lambda t: (2 * atanh(sqrt(t)) - 2 * sqrt(t)) / sqrt(t) ** 3, mpf(2) / 3), mpf(0),
     mpf("0.02945"),
     lambda t: t, {"double": 6}),
    ("log_ratio_rest", "(log((1 + s) / (1 - s)) - 2 s - 2/3 s³) / s⁵ in t = s²",
     series(lambda t: (2 * atanh(sqrt(t)) - 2 * sqrt(t) - 2 * sqrt(t) ** 3 / 3) / sqrt(t) ** 5,
            mpf(2) / 5), mpf(0),
     mpf("0.02945"), lambda t: t * t, {"double": 7}),
    ("log_cubic_tail", "(log(1 + f) - f + f²/2) / f³",
     series(lambda f: (log1p(f) - f + f**2 / 2) / f**3, mpf(1) / 3),
     LOG_LOW, LOG_HIGH, lambda f: f * f, {"float": 9}),
    ("sin_tail", "(sin(r) - r) / r³ in t = r², |r| up to pi/2",
     series(lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 6), mpf(0), mpf("2.56"),
     lambda t: t, {"float": 4, "double": 8}),
    ("sin_short_tail", "(sin(r) - r) / r³ in t = r², |r| up to pi/4",
     series(lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 6), mpf(0), mpf("0.64"),
     lambda t: t, {"float": 2, "double": 6}),
    ("cos_short_tail", "(cos(r) - 1 + r²/2) / r⁴ in t = r², |r| up to pi/4",
     series(lambda t: (cos(sqrt(t)) - 1 + t / 2) / t**2, mpf(1) / 24), mpf(0), mpf("0.64"),
     lambda t: t * t, {"float": 2, "double": 6}),
    ("sinpi_tail", "(sin(pi r) - pi r) / r³ in t = r², |r| up to 1/2",
     series(lambda t: (sin(pi * sqrt(t)) - pi * sqrt(t)) / sqrt(t) ** 3, -(pi**3) / 6), mpf(0),
     mpf(0.25),
     lambda t: t, {"float": 4, "double": 8}),
    ("atan_tail", "(atan(x) - x) / x³ in t = x², |x| up to tan(pi/8)",
     series(lambda t: (atan(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 3), mpf(0), mpf("0.1716"),
     lambda t: t, {"float": 4, "double": 11}),
    ("asin_tail", "(asin(x) - x) / x³ in t = x², |x| up to 1/2",
     series(lambda t: (asin(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(1) / 6), mpf(0), mpf(0.25),
     lambda t: t, {"float": 5, "double": 12}),
    ("sinh_tail", "(sinh(x) - x) / x³ in t = x², |x| up to 1",
     series(lambda t: (sinh(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(1) / 6), mpf(0), mpf(1),
     lambda t: t, {"float": 3, "double": 6}),
    ("tanh_tail", "(tanh(x) - x) / x³ in t = x², |x| up to 5/8",
     series(lambda t: (tanh(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 3), mpf(0), mpf("0.3907"),
     lambda t: t, {"float": 5, "double": 12}),
    ("erf_tail", "erf(x) / x - 1 in t = x², |x| up to 1",
     series(lambda t: erf(sqrt(t)) / sqrt(t) - 1, 2 / sqrt(pi) - 1), mpf(0), mpf(1), lambda t: 1,
     {"float": 6, "double": 12}),
    ("erfc_scaled", "(1 + 2 x) exp(x²) erfc(x) in u = (x - 3.75) / (x + 3.75), x from 0.4",
     erfc_scaled(K),
     U(mpf("0.4")), U(mpf(28)), lambda u: 1, {"float": 10, "double": 21}),
    ("native_log2", "log2(1 + f) / f", series(lambda f: log1p(f) / f / LN2, 1 / LN2), LOG_LOW,
     LOG_HIGH,
     lambda f: 1, {"float": 6}),
    ("native_exp2", "(2^r - 1) / r", series(lambda r: (exp(r * LN2) - 1) / r, LN2), mpf(-0.5),
     mpf(0.5),
     lambda r: r, {"float": 4}),
    ("native_sin", "(sin(r) - r) / r³ in t = r², |r| up to pi/2",
     series(lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 6), mpf(0), mpf("2.5"),
     lambda t: t, {"float": 3}),
    ("half_log2", "log2(1 + f) / f", series(lambda f: log1p(f) / f / LN2, 1 / LN2), LOG_LOW,
     LOG_HIGH,
     lambda f: 1, {"float": 4}),
    ("half_exp2", "(2^r - 1) / r", series(lambda r: (exp(r * LN2) - 1) / r, LN2), mpf(-0.5),
     mpf(0.5),
     lambda r: r, {"float": 2}),
    ("half_sin", "(sin(r) - r) / r³ in t = r², |r| up to pi/2",
     series(lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t) ** 3, mpf(-1) / 6), mpf(0), mpf("2.5"),
     lambda t: t, {"float": 2}),
]


def two_over_pi():
    """Returns the bits of 2/pi as 32-bit words after 64 zero bits, most significant word first."""
    saved, mp.prec = mp.prec, 1600
    bits = int(2 / pi * mpf(2) ** 1248)
    mp.prec = saved
    return [0, 0] + [(bits >> (1248 - 32 * (i + 1))) & 0xFFFFFFFF for i in range(39)]


def main():
    print("// The polynomials of the maths functions, and the bits of 2/pi.")
    print("//\n// coefficients.py writes this file. Edit coefficients.py instead.")
    print("#ifndef SCYTHE_COEFFICIENTS_HPP\n#define SCYTHE_COEFFICIENTS_HPP\n")
    print("#include \"maths_base.hpp\"\n")
    print("namespace scythe_device_library {\n")
    for name, what, f, low, high, weight, degrees in TABLE:
        for kind, degree in degrees.items():
            c = [rounded(x, kind) for x in interpolate(f, low, high, degree)]
            worst = largest_error(f, low, high, c, weight)
            interval = f"from {float(low):.4f} to {float(high):.4f}"
            print(f"// {what}, {interval}; error 2^{float(log(worst, 2)):.1f}.")
            print(f"SCYTHE_INLINE {kind} {name}({kind} x) {{")
            print("  return polynomial(x, " + ", ".join(text(x, kind) for x in c) + ");\n}")
    words = ", ".join(f"0x{w:08x}u" for w in two_over_pi())
    print("\n// 2/pi after two words of zeros, most significant bits first.")
    print(f"constexpr unsigned two_over_pi[] = {{{words}}};")
    print("\n} // namespace scythe_device_library\n\n#endif")


main()

// outboard_realtime.h: the part of libm that Swift code marked `@_noLocks` may call.
// SPDX-License-Identifier: MIT
//
// The attribute is a promise, not a check: each of these computes and returns, without locks,
// memory or system calls.
#pragma once

#include <math.h>

#define OUTBOARD_REALTIME static inline __attribute__((swift_attr("@_noLocks")))

OUTBOARD_REALTIME double realtime_cos(double radians) { return cos(radians); }
OUTBOARD_REALTIME double realtime_sin(double radians) { return sin(radians); }
OUTBOARD_REALTIME double realtime_tan(double radians) { return tan(radians); }
OUTBOARD_REALTIME double realtime_exp(double x) { return exp(x); }
OUTBOARD_REALTIME double realtime_pow(double base, double exponent) { return pow(base, exponent); }
OUTBOARD_REALTIME double realtime_sqrt(double x) { return sqrt(x); }

// Swift's own vectors, whose root is one instruction here and four calls there.
typedef float outboard_float4 __attribute__((ext_vector_type(4)));
OUTBOARD_REALTIME outboard_float4 realtime_sqrt4(outboard_float4 x) {
  return __builtin_elementwise_sqrt(x);
}

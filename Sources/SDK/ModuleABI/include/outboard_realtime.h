// outboard_realtime.h: libm functions that `@_noLocks` Swift code may call.
// SPDX-License-Identifier: MIT
//
// The compiler does not check the attribute here. These functions do not lock, allocate or make system calls.
#pragma once

#include <math.h>
#include <stdint.h>

#define OUTBOARD_REALTIME static inline __attribute__((swift_attr("@_noLocks")))

OUTBOARD_REALTIME double realtime_atan2(double y, double x) { return atan2(y, x); }
OUTBOARD_REALTIME double realtime_cos(double radians) { return cos(radians); }
OUTBOARD_REALTIME double realtime_sin(double radians) { return sin(radians); }
OUTBOARD_REALTIME double realtime_tan(double radians) { return tan(radians); }
OUTBOARD_REALTIME double realtime_exp(double x) { return exp(x); }
OUTBOARD_REALTIME double realtime_log10(double x) { return log10(x); }
OUTBOARD_REALTIME double realtime_pow(double base, double exponent) { return pow(base, exponent); }
OUTBOARD_REALTIME double realtime_sqrt(double x) { return sqrt(x); }

// One instruction; Swift's own conversion checks the range first. x must be in the range of int32_t.
OUTBOARD_REALTIME int32_t realtime_truncated(float x) { return (int32_t)x; }

// The square root of a Swift vector: one instruction here, four calls in Swift.
typedef float outboard_float4 __attribute__((ext_vector_type(4)));
OUTBOARD_REALTIME outboard_float4 realtime_sqrt4(outboard_float4 x) {
  return __builtin_elementwise_sqrt(x);
}

// Shuffles: one instruction each; Swift splits the vectors into scalars.
OUTBOARD_REALTIME outboard_float4 realtime_evens(outboard_float4 a, outboard_float4 b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}
OUTBOARD_REALTIME outboard_float4 realtime_odds(outboard_float4 a, outboard_float4 b) {
  return __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
OUTBOARD_REALTIME outboard_float4 realtime_zip_low(outboard_float4 a, outboard_float4 b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
OUTBOARD_REALTIME outboard_float4 realtime_zip_high(outboard_float4 a, outboard_float4 b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
OUTBOARD_REALTIME outboard_float4 realtime_reversed(outboard_float4 a) {
  return __builtin_shufflevector(a, a, 3, 2, 1, 0);
}
// Transposes four vectors: writes lane 0 of all vectors, then lane 1, and so on.
OUTBOARD_REALTIME void realtime_transpose(outboard_float4 a, outboard_float4 b, outboard_float4 c,
                                          outboard_float4 d, float *row) {
  typedef float eight __attribute__((ext_vector_type(8)));
  typedef float sixteen __attribute__((ext_vector_type(16), aligned(4)));
  eight low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  eight high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  *(sixteen *)row = __builtin_shufflevector(low, high, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3,
                                            7, 11, 15);
}

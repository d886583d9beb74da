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

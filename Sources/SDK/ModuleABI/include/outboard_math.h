// outboard_math.h: the part of libm that Embedded Swift cannot import by itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

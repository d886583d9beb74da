// ladspa.h: code that asks for LADSPA's header gets the installed one, or else the kit's.
// SPDX-License-Identifier: MIT
#pragma GCC system_header // for include_next, which is no part of C
#if __has_include_next(<ladspa.h>)
#include_next <ladspa.h>
#else
#include "outboard/ladspa_types.h"
#endif

// ladspa.h: includes the installed LADSPA header, or the kit's if there is none.
// SPDX-License-Identifier: MIT
#pragma GCC system_header // for include_next, which is not standard C
#if __has_include_next(<ladspa.h>)
#include_next <ladspa.h>
#else
#include "outboard/ladspa_types.h"
#endif

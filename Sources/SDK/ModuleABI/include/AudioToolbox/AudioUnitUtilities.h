// AudioUnitUtilities.h: code that asks for the system's header gets the kit's. SPDX-License-Identifier: MIT
#pragma once
#include "../outboard/au.h"

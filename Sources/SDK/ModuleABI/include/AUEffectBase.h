// AUEffectBase.h: the kit's, for code that asks for the SDK's. SPDX-License-Identifier: MIT
#pragma once

#include "outboard/au.h"

// audioeffectx.h: code that asks for VST2's header by its path gets the kit's classes.
// SPDX-License-Identifier: MIT
#pragma once
#include "../../../outboard/vst2.h"

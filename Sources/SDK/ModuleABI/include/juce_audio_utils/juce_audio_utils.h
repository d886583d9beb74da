// juce_audio_utils.h: code that asks for a part of JUCE gets the kit's. SPDX-License-Identifier: MIT
#pragma once
#include "../outboard/juce.h"

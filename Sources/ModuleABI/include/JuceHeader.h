// JuceHeader.h: code that asks for JUCE's header gets the kit's classes. SPDX-License-Identifier: MIT
#pragma once
#include "outboard/juce.h"

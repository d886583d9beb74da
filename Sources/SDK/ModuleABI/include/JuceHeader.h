// JuceHeader.h: code that asks for JUCE's header gets the kit's classes. SPDX-License-Identifier: MIT
#pragma once
#include "outboard/juce.h"

// As in the header that the Projucer generates.
#if !DONT_SET_USING_JUCE_NAMESPACE
using namespace juce;
#endif

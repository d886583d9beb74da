// JuceHeader.h: code that asks for JUCE's header gets the kit's classes. SPDX-License-Identifier: MIT
#pragma once
#include "outboard/juce.h"

// As the header that the library's own tool writes.
#if !DONT_SET_USING_JUCE_NAMESPACE
using namespace juce;
#endif

// juce_audio_plugin_client.h: code that asks for a part of JUCE gets the kit's. SPDX-License-Identifier: MIT
#pragma once
#include "../outboard/juce.h"

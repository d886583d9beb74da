// JuceHeader.h: where a project of the Projucer looks for it. SPDX-License-Identifier: MIT
#pragma once
#include "../JuceHeader.h"

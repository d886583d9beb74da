// JuceHeader.h: the path of the header in a project of the Projucer. SPDX-License-Identifier: MIT
#pragma once
#include "../JuceHeader.h"

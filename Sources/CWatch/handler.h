// handler.h: what is done once when this process crashes. SPDX-License-Identifier: MIT
#pragma once

/// Has `take` called by the first signal that a crash brings, on a stack of its own. [main]
///
/// When it returns it happens once more, where nobody takes it, and ends the process.
void handle_crashes(void (*take)(int number));

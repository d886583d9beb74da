// Compiling the header alone verifies that it includes everything it needs.
#include "outboard_module.h"

// Compiling the header alone is the test that it needs nothing but itself.
#include "outboard_module.h"

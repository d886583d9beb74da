// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: share, name: Share, minimum: 0, default: 0.5, maximum: 1}]
#include "Damper.h"
OUTBOARD_VST2_COPIED(Damper)

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: share, name: Share, minimum: 0, default: 0.5, maximum: 1}]
#include <outboard/vst2.h>
OUTBOARD_VST2_FACTORY

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: drive, name: Drive, minimum: 1, default: 4, maximum: 20}]

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, unsigned frame_count) {
  (void)state;
  for (int c = 0; c < 2; c++)
    for (unsigned i = 0; i < frame_count; i++) {
      const float x = inputs[c][i] * parameters[0];
      outputs[c][i] = x / (1 + (x < 0 ? -x : x));
    }
}

// filters.swift: eight second-order filters in series, transposed direct form II. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: b0, name: B0, minimum: 0, default: 0.9, maximum: 1}]
import ModuleKit

struct Filters: AudioModule {
  private static let stages = 8
  private var s1 = InlineArray<8, Float>(repeating: 0)
  private var s2 = InlineArray<8, Float>(repeating: 0)

  init?(sampleRateHz: Double, maximumFrameCount: Int) {}

  @_noLocks mutating func process(_ block: AudioBlock) {
    let (input, output) = (block.inputs[0], block.outputs[0])
    let (b0, b1, b2): (Float, Float, Float) = (block.parameters[0], -1.2, 0.5)
    let (a1, a2): (Float, Float) = (-1.3, 0.45)
    for i in 0 ..< block.frameCount {
      var x = input[i]
      for k in 0 ..< 8 {
        let y = b0 * x + s1[k]
        s1[k] = b1 * x - a1 * y + s2[k]
        s2[k] = b2 * x - a2 * y
        x = y
      }
      output[i] = x
    }
  }
}

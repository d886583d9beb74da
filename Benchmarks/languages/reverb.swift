// reverb.swift: a feedback network of eight damped delays with a Hadamard matrix. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: decay, name: Decay, minimum: 0, default: 0.8, maximum: 1}]
import ModuleKit

struct Reverb: AudioModule, ~Copyable {
  private let memory: UnsafeMutablePointer<Float>
  private var damped = SIMD8<Float>.zero
  private var now: UInt32 = 0
  private let delays = SIMD8<UInt32>(1117, 1367, 1559, 1823, 2053, 2311, 2647, 2903)

  init?(sampleRateHz: Double, maximumFrameCount: Int) {
    memory = .allocate(capacity: 8 * 4096)
    memory.initialize(repeating: 0, count: 8 * 4096)
  }

  deinit { memory.deallocate() }

  @_noLocks mutating func process(_ block: AudioBlock) {
    let (input, output) = (block.inputs[0], block.outputs[0])
    let gain = block.parameters[0] * 0.35355339
    for i in 0 ..< block.frameCount {
      now = (now &+ 1) & 4095
      let places = (now &- delays) & 4095
      var out = SIMD8<Float>.zero
      for k in 0 ..< 8 { out[k] = memory[k &* 4096 &+ Int(places[k])] }
      damped += 0.6 * (out - damped)
      var x = damped
      x = SIMD8(lowHalf: x.evenHalf + x.oddHalf, highHalf: x.evenHalf - x.oddHalf)
      x = SIMD8(lowHalf: x.evenHalf + x.oddHalf, highHalf: x.evenHalf - x.oddHalf)
      x = SIMD8(lowHalf: x.evenHalf + x.oddHalf, highHalf: x.evenHalf - x.oddHalf)
      let fed = input[i] + gain * x
      for k in 0 ..< 8 { memory[k &* 4096 &+ Int(now)] = fed[k] }
      output[i] = 0.25 * damped.sum()
    }
  }
}

// chorus.swift: a delay modulated by a sine, with cubic interpolation of four samples. SPDX-License-Identifier: MIT
// outboard: inputs: 1, outputs: 1, parameters: [{symbol: mix, name: Mix, minimum: 0, default: 0.5, maximum: 1}]
import ModuleKit

struct Chorus: AudioModule, ~Copyable {
  private let line: UnsafeMutablePointer<Float>
  private let mask: UInt32 = 4095
  private var newest: UInt32 = 0
  private var phase: Float = 0
  private let step: Float

  init?(sampleRateHz: Double, maximumFrameCount: Int) {
    line = .allocate(capacity: 4096)
    line.initialize(repeating: 0, count: 4096)
    step = Float(0.7 / sampleRateHz)
  }

  deinit { line.deallocate() }

  @_noLocks mutating func process(_ block: AudioBlock) {
    let (input, output, mix) = (block.inputs[0], block.outputs[0], block.parameters[0])
    for i in 0 ..< block.frameCount {
      let x = input[i]
      newest = (newest &+ 1) & mask
      line[Int(newest)] = x
      phase += step
      if phase >= 1 { phase -= 1 }
      // Approximates the sine by a parabola on each half of the cycle.
      let half = phase < 0.5 ? phase : phase - 0.5
      let arch = 16 * half * (0.5 - half)
      let age = 400 + 200 * (phase < 0.5 ? arch : -arch)
      // The kit's conversion. Swift's own also checks for NaN and infinity.
      let split = SplitDelay(notNegative: age)
      let f = split.fraction
      let whole = UInt32(truncatingIfNeeded: split.whole)
      let a = line[Int((newest &+ 1 &- whole) & mask)]
      let b = line[Int((newest &- whole) & mask)]
      let c = line[Int((newest &- 1 &- whole) & mask)]
      let d = line[Int((newest &- 2 &- whole) & mask)]
      let cubic = 3 * (b - c) + d - a
      let square = 2 * a - 5 * b + 4 * c - d + f * cubic
      let wet = b + 0.5 * f * (c - a + f * square)
      output[i] = x + mix * (wet - x)
    }
  }
}

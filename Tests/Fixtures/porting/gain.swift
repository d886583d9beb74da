// outboard: inputs: 2, outputs: 2, parameters: [{symbol: gain, name: Gain, unit: dB, minimum: -60, default: -6, maximum: 12}]
import ModuleKit

/// Renders one block. [render]
@_noLocks
@c public func process(
  _ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  let gain = Decibels.amplitude(parameters[0])
  for channel in 0 ..< 2 {
    for frame in 0 ..< Int(frameCount) {
      outputs[channel][frame] = inputs[channel][frame] * gain
    }
  }
}

// Effect: a tremolo in Swift. Edit and save: the running session reloads it.
//
//   outboard run effect.swift                  from the microphone
//   outboard render effect.swift -i in.wav -o out.wav
//   outboard validate ./effect.swift           test it
//
// This is Embedded Swift: structs and pointers, no classes, no Foundation. ModuleKit has smoothers,
// delay lines, filters and more. The comment below is the manifest. Parameters are passed
// to `process` in this order.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1}

import ModuleABI
import ModuleKit

// Parameters, in the order of the comment

private let rate = 0
private let depth = 1

/// State that the effect keeps from one block to the next.
///
/// Do not use global variables, so that a rig can have several instances.
private struct Effect {
  let sampleRateHz: Double
  /// 0 to 1.
  var phase = 0.0
  /// Follows its parameter without a click.
  var depth: Smoother
  var isFresh = true

  init(sampleRateHz: Double) {
    self.sampleRateHz = sampleRateHz
    depth = Smoother(0, timeConstantSeconds: 0.01, sampleRateHz: Float(sampleRateHz))
  }

  @_noLocks
  mutating func nextGain(_ step: Double) -> Float {
    let wave = Float(0.5 - 0.5 * realtime_cos(2 * Double.pi * phase))
    phase += step
    if phase >= 1 { phase -= 1 }
    return 1 - depth.next() * wave
  }
}

/// Creates an instance, on the main thread.
///
/// Allocate all memory here.
@c public func create(
  _ sampleRateHz: Double, _ maximumFrameCount: UInt32
) -> UnsafeMutableRawPointer? {
  let state = UnsafeMutablePointer<Effect>.allocate(capacity: 1)
  state.initialize(to: Effect(sampleRateHz: sampleRateHz))
  return UnsafeMutableRawPointer(state)
}

/// Destroys an instance, on the main thread.
@c public func destroy(_ state: UnsafeMutableRawPointer) {
  state.assumingMemoryBound(to: Effect.self).deallocate()
}

/// Clears the signal state, on the audio thread.
@_noLocks
@c public func reset(_ state: UnsafeMutableRawPointer) {
  let effect = state.assumingMemoryBound(to: Effect.self)
  effect.pointee.phase = 0
  effect.pointee.isFresh = true
}

/// Renders a block, on the audio thread.
///
/// `@_noLocks` makes the compiler reject code that may allocate or lock. Write every output sample. A
/// block may have any length.
@_noLocks
@c public func process(
  _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  let effect = state.assumingMemoryBound(to: Effect.self)
  effect.pointee.depth.move(to: parameters[depth])
  // The first block starts at its parameter values, without a ramp.
  if effect.pointee.isFresh { effect.pointee.depth.finish() }
  effect.pointee.isFresh = false
  let step = Double(parameters[rate]) / effect.pointee.sampleRateHz
  for frame in 0 ..< Int(frameCount) {
    let gain = effect.pointee.nextGain(step)
    outputs[0][frame] = inputs[0][frame] * gain
    outputs[1][frame] = inputs[1][frame] * gain
  }
}

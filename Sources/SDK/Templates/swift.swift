// Effect: a tremolo in Swift, to begin with. Change anything and save: it is heard at once.
//
//   outboard run effect.swift                  from the microphone
//   outboard render effect.swift -i in.wav -o out.wav
//   outboard validate ./effect.swift           test it
//
// This is Embedded Swift: structs and pointers, no classes of the runtime, no Foundation. ModuleKit has
// smoothers, delay lines, filters and more. The comment below says what the module is. Parameters come
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

/// All that the effect remembers from one block to the next.
///
/// There are no globals that change, so that it can be in a chain twice.
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

/// Makes an instance, on the main thread.
///
/// It is the only place that takes memory.
@c public func create(
  _ sampleRateHz: Double, _ maximumFrameCount: UInt32
) -> UnsafeMutableRawPointer? {
  let state = UnsafeMutablePointer<Effect>.allocate(capacity: 1)
  state.initialize(to: Effect(sampleRateHz: sampleRateHz))
  return UnsafeMutableRawPointer(state)
}

/// Frees what `create` made, on the main thread.
@c public func destroy(_ state: UnsafeMutableRawPointer) {
  state.assumingMemoryBound(to: Effect.self).deallocate()
}

/// Goes back to silence, on the audio thread: as if it had just been made.
@_noLocks
@c public func reset(_ state: UnsafeMutableRawPointer) {
  let effect = state.assumingMemoryBound(to: Effect.self)
  effect.pointee.phase = 0
  effect.pointee.isFresh = true
}

/// Renders a block, on the audio thread.
///
/// `@_noLocks` has the compiler see to it that no memory is taken and nothing is waited for. Every sample
/// of every output is written. A block may have any length.
@_noLocks
@c public func process(
  _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  let effect = state.assumingMemoryBound(to: Effect.self)
  effect.pointee.depth.move(to: parameters[depth])
  // The first block begins with its parameters, without a glide.
  if effect.pointee.isFresh { effect.pointee.depth.finish() }
  effect.pointee.isFresh = false
  let step = Double(parameters[rate]) / effect.pointee.sampleRateHz
  for frame in 0 ..< Int(frameCount) {
    let gain = effect.pointee.nextGain(step)
    outputs[0][frame] = inputs[0][frame] * gain
    outputs[1][frame] = inputs[1][frame] * gain
  }
}

// Limiter.swift: a look-ahead limiter. SPDX-License-Identifier: MIT
//
// For every frame, the factor is computed that keeps it below the ceiling. The smallest of these factors over
// the look-ahead is held, released exponentially, and smoothed by two moving averages that together are as
// long as the look-ahead. A frame is output when every value in its factor has taken it into account, so the
// factor is always small enough, and the gain changes smoothly. After P. Hämäläinen, "Smoothing of the
// Control Signal Without Clipped Output in Digital Peak Limiters", DAFx-02, and G. Luff, "Designing a
// straightforward limiter", Signalsmith Audio, 2022.
//
// The averages use integers, so running sums never drift, and while nothing is limited the factor is exactly
// 1: the limiter is then a pure delay. The ceiling applies to samples; with true peaks also to the waveform
// between them (TruePeak.swift), for which every frame is measured 16 frames after its arrival.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let latencySeconds = 0.005
private let glideSeconds: Float = 0.005
/// A factor of 1 as a whole number: 186 dB of resolution.
private let unity: Int64 = 1 << 31

// MARK: - Parameters, in the order of the manifest

private let inputGain = 0
private let ceiling = 1
private let release = 2
private let truePeakMode = 3

// MARK: - State

struct Limiter: AudioModule {
  // Parameters as last set.
  var parameters = SIMD4<Float>()
  var needsReset = true
  // Coefficients derived from them.
  var ceiling: Float = 1  // linear
  var release = 0.0
  // Running state.
  var gain: Smoother  // linear
  var released = 1.0  // the factor, released but not yet smoothed
  var minimumFactor: Float = 1  // of the last block
  var lookAheadMinimum: SlidingMinimum
  var truePeak = TruePeak()
  var first: MovingSum
  var second: MovingSum
  var frame: UInt32 = 0  // counted, for positions in the delay
  // Derived once.
  let delay: UnsafeMutablePointer<Waiting>
  let mask: UInt32
  let lookAhead: UInt32  // frames
  let fullScale: Double  // the value of `second` when every factor is 1
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    self.sampleRateHz = sampleRateHz
    let latency = UInt32((latencySeconds * sampleRateHz).rounded())
    lookAhead = latency > TruePeak.lag + 2 ? latency - TruePeak.lag : 2
    let window = lookAhead + 1
    lookAheadMinimum = SlidingMinimum(window: window)
    // Two averages of n and m frames reach back n + m - 2.
    first = MovingSum(window: window / 2 + 1)
    second = MovingSum(window: window - window / 2)
    fullScale = Double(unity) * Double(first.window) * Double(second.window)
    mask = powerOfTwo(atLeast: max(window + TruePeak.lag, UInt32(TruePeak.tapCount) + 1)) - 1
    delay = .allocate(capacity: Int(mask) + 1)
    delay.initialize(repeating: SIMD4(), count: Int(mask) + 1)
    gain = Smoother(1, timeConstantSeconds: glideSeconds, sampleRateHz: Float(sampleRateHz))
  }

  /// Frees the memory. [main]
  mutating func free() {
    lookAheadMinimum.deallocate()
    first.deallocate()
    second.deallocate()
    delay.deallocate()
    truePeak.free()
  }
}

/// Takes new parameters; after a reset, clears the state.
@_noLocks
private func update(_ state: inout Limiter, _ wanted: SIMD4<Float>) {
  state.ceiling = Decibels.amplitude(min(wanted[ceiling], 0))
  state.release = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(wanted[release]) / 1_000, sampleRateHz: state.sampleRateHz)
  state.gain.move(to: Decibels.amplitude(wanted[inputGain]))
  state.parameters = wanted
  guard state.needsReset else { return }
  state.gain.jump(to: Decibels.amplitude(wanted[inputGain]))
  state.released = 1
  state.frame = 0
  state.lookAheadMinimum.reset()
  state.truePeak.clear()
  state.first.reset(to: unity)
  state.second.reset(to: unity * Int64(state.first.window))
  state.delay.update(
    repeating: SIMD4(0, 0, state.ceiling, 0), count: Int(state.mask) + 1)
  state.needsReset = false
}

/// Returns the factor for the frame that leaves the delay, given the peak of the measured frame, and its
/// ceiling.
@_noLocks @inline(__always)
private func factor(_ state: inout Limiter, _ peak: Float, _ ceiling: Float) -> Float {
  let needed = peak > ceiling ? Double(ceiling) / Double(peak) : 1
  let lookAheadMinimum = state.lookAheadMinimum.take(needed, at: state.frame)
  let recovered = lookAheadMinimum + state.release * (state.released - lookAheadMinimum)
  state.released = recovered < lookAheadMinimum ? recovered : lookAheadMinimum
  // Rounded down, so never too large; the float below rounds the end of a release up to 1.
  let whole = Int64(state.released * Double(unity))
  return Float(Double(state.second.take(state.first.take(whole))) / state.fullScale)
}

/// Replaces NaN and infinity by silence.
@_noLocks @inline(__always)
private func finite(_ x: Float) -> Float { abs(x) <= 1e30 ? x : 0 }

/// The last bit of a product may round up beyond the ceiling.
@_noLocks @inline(__always)
private func clamped(_ x: Float, _ ceiling: Float) -> Float { min(max(x, -ceiling), ceiling) }

// MARK: - Life

/// The struct that `Exports.swift` exports.
typealias Exported = Limiter

extension Limiter {
  /// Clears the signal state; the next block starts at its parameters. [render]
  @_noLocks
  mutating func reset() { needsReset = true }

  /// The look-ahead and the delay of the measurement in frames, the same for all parameters. [main]
  var latencyFrames: Int { Int(lookAhead + TruePeak.lag) }

  /// The largest reduction of the last block, in dB. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    values[0] = minimumFactor < 1 ? -Decibels.fastDecibels(max(minimumFactor, 1e-6)) : 0
  }
}

// MARK: - Sound

extension Limiter {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    var wanted = SIMD4<Float>()
    for p in 0 ... truePeakMode { wanted[p] = block.parameters[p] }
    if needsReset || wanted != parameters { update(&self, wanted) }
    let isTruePeak = wanted[truePeakMode] >= 0.5
    var state = self
    state.minimumFactor = 1
    let stereo = block.stereo
    for i in 0 ..< block.frameCount {
      let gain = state.gain.next()
      let left = finite(stereo.leftIn[i]) * gain
      let right = finite(stereo.rightIn[i]) * gain
      state.delay[Int(state.frame & state.mask)] = SIMD4(left, right, state.ceiling, 0)
      let measured = state.delay[Int((state.frame &- TruePeak.lag) & state.mask)]
      let peak =
        isTruePeak
        ? state.truePeak.next(
          state.delay, mask: state.mask, newest: state.frame, peak: max(abs(left), abs(right)))
        : max(abs(measured.x), abs(measured.y))
      let factor = factor(&state, peak, measured.z)
      state.minimumFactor = factor < state.minimumFactor ? factor : state.minimumFactor
      let due = state.delay[Int((state.frame &- state.lookAhead &- TruePeak.lag) & state.mask)]
      stereo.leftOut[i] = clamped(due.x * factor, due.z)
      stereo.rightOut[i] = clamped(due.y * factor, due.z)
      state.frame &+= 1
    }
    self = state
  }
}

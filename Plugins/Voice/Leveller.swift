// Leveller.swift: keeps a voice at a constant level. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Turns a voice up or down, slowly, while it speaks; pauses keep the gain.
struct Leveller {
  private var power = 0.0  // of the voice, smoothed
  private var decibels: Float = 0  // of the gain
  private var gain: Float = 1
  private let hopSeconds: Float

  private static let upDecibelsInSecond: Float = 6
  private static let downDecibelsInSecond: Float = 18
  private static let levelSeconds: Float = 0.4
  /// Levels below this are not speech, dB.
  private static let faintest: Float = -55

  init(hop: Int, sampleRateHz: Double) { hopSeconds = Float(Double(hop) / sampleRateHz) }

  @_noLocks
  mutating func clear() {
    power = 0
    decibels = 0
    gain = 1
  }

  /// Levels a block.
  ///
  /// - Parameters:
  ///   - block: changed in place.
  ///   - count: the number of frames.
  ///   - presence: the probability of speech, 0 to 1.
  ///   - target: the level of the voice, dB of its mean square.
  ///   - most: the largest gain or attenuation, dB; 0 for no change.
  @_noLocks
  mutating func level(
    _ block: UnsafeMutablePointer<Float>, _ count: Int, presence: Float, target: Float, most: Float
  ) {
    var sum: Float = 0
    var peak: Float = 0
    for frame in 0 ..< count {
      sum += block[frame] * block[frame]
      peak = max(peak, abs(block[frame]))
    }
    let now = Double(sum) / Double(count)
    if presence > 0.25, now > 0, Decibels.fastDecibels(Float(now)) * 0.5 > Self.faintest {
      let coefficient = power == 0 ? 1 : min(1, Double(hopSeconds / Self.levelSeconds))
      power += (now - power) * coefficient
      let wanted = target - 0.5 * Decibels.fastDecibels(Float(power))
      let (up, down) = (
        Self.upDecibelsInSecond * hopSeconds, Self.downDecibelsInSecond * hopSeconds
      )
      decibels += min(max(wanted - decibels, -down), up)
    }
    decibels = min(max(decibels, -most), most)
    var next = decibels == 0 ? 1 : Decibels.fastAmplitude(decibels)
    // A sudden loud voice is attenuated at once, and clipped until then.
    let isTooLoud = most > 0 && peak * max(next, gain) > 0.97
    if isTooLoud { next = min(next, 0.97 / peak) }
    let ramp = isTooLoud ? count / 8 : count
    let step = (next - gain) / Float(ramp)
    for frame in 0 ..< ramp { block[frame] *= gain + step * Float(frame + 1) }
    for frame in ramp ..< count { block[frame] *= next }
    if isTooLoud { for frame in 0 ..< ramp { block[frame] = min(max(block[frame], -1), 1) } }
    gain = next
  }
}

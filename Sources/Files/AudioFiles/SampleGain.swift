// SampleGain.swift: a gain, and silence instead of invalid samples. SPDX-License-Identifier: MIT

/// Gains of files.
package enum SampleGain {
  /// Multiplies samples, and replaces NaN and infinity by silence. [any]
  ///
  /// - Returns: the number of invalid samples.
  package static func apply(
    _ gain: Float, to samples: UnsafeMutablePointer<Float>, sampleCount: Int
  ) -> Int {
    var invalid = 0
    for index in 0 ..< sampleCount {
      let sample = unsafe samples[index]
      guard sample.isFinite else {
        unsafe samples[index] = 0
        invalid += 1
        continue
      }
      // A gain of 1 keeps every bit.
      unsafe samples[index] = sample * gain
    }
    return invalid
  }
}

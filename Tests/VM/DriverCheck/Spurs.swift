// Spurs.swift: spectral lines other than a tone in a recording of 32-bit stereo. SPDX-License-Identifier: MIT

import ClockSimulation

extension Tone {
  /// The tone and the highest other line, as values by name; nil if the recording is too short.
  static func spurs(_ bytes: [UInt8]) -> [(String, Double)]? {
    let samples = stride(from: 0, to: bytes.count - 7, by: 8).map { place -> Float in
      let code = (0 ..< 4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * $1) }
      return Float(Int32(bitPattern: code)) / 2_147_483_648
    }
    guard samples.count >= 65_536 else { return nil }
    let report = report(samples, rateHz: 48_000)
    return [
      ("hertz", report.frequencyHz), ("decibels", report.levelDecibels),
      ("spur", report.spurDecibels), ("spurHertz", report.spurHz),
      ("noise", report.noiseDecibels),
    ]
  }
}

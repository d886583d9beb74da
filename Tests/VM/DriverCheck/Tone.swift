// Tone.swift: a sine for playback, and measurements of its recording. SPDX-License-Identifier: MIT

import Glibc

/// Files of raw 16-bit little-endian samples, two channels, 48 kHz.
enum Tone {
  private static let rateHz = 48_000.0

  /// A sine on both channels that begins on a sample that is not 0, and ends in a second of silence.
  static func bytes(hertz: Double, decibels: Double, seconds: Double) -> [UInt8] {
    let amplitude = 32_767 * pow(10, decibels / 20)
    let count = Int(seconds * rateHz)
    return (0 ..< count + Int(rateHz)).flatMap { frame -> [UInt8] in
      let phase = 2 * .pi * hertz * Double(frame) / rateHz + 0.1
      let value = frame < count ? Int16((amplitude * sin(phase)).rounded()) : 0
      let bits = UInt16(bitPattern: value)
      let bytes = [UInt8(bits & 0xff), UInt8(bits >> 8)]
      return bytes + bytes
    }
  }

  /// The measurements of a recording, by name; nil if it is silent.
  static func facts(_ bytes: [UInt8]) -> [(String, Double)]? {
    let samples = left(bytes)
    guard let first = samples.firstIndex(where: { $0 != 0 }),
      let last = samples.lastIndex(where: { $0 != 0 }), last - first > 24_000
    else { return nil }
    // A tenth of a second at both ends is for fades and for the start of plugins.
    let steady = Array(samples[(first + 4_800) ... (last - 4_800)])
    let hertz = frequency(steady)
    let ending = samples[(last - 4_800)...]
    let millisecond = samples[max(0, last - 47) ... last]
    return [
      ("hertz", hertz), ("decibels", level(steady)), ("residue", residue(steady, hertz)),
      ("seconds", Double(last - first) / rateHz), ("step", step(steady[...])),
      ("endStep", step(ending)), ("lastPeak", millisecond.map(abs).max() ?? 0),
      ("peak", steady.map(abs).max() ?? 0),
    ]
  }

  private static func left(_ bytes: [UInt8]) -> [Double] {
    stride(from: 0, to: bytes.count - 3, by: 4).map {
      Double(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
    }
  }

  /// The mean level; 0 is a sine of full scale.
  private static func level(_ samples: [Double]) -> Double {
    10 * log10(2 * samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count))
  }

  /// Computed from the first and the last upward zero crossing, and the number between them.
  private static func frequency(_ samples: [Double]) -> Double {
    let rises = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    guard let first = rises.first, let last = rises.last, last > first else { return 0 }
    func moment(_ index: Int) -> Double {
      Double(index) - samples[index] / (samples[index] - samples[index - 1])
    }
    return Double(rises.count - 1) * rateHz / (moment(last) - moment(first))
  }

  /// The loudest tenth of a second after the best sine of that frequency is removed, in decibels
  /// below that sine.
  private static func residue(_ samples: [Double], _ hertz: Double) -> Double {
    let length = 4_800
    let starts = stride(from: 0, through: samples.count - length, by: length)
    let worst = starts.map { start -> Double in
      let part = samples[start ..< start + length]
      let turn = 2 * .pi * hertz / rateHz
      let sine =
        part.indices.reduce(0) { $0 + part[$1] * sin(turn * Double($1)) } * 2 / Double(length)
      let cosine =
        part.indices.reduce(0) { $0 + part[$1] * cos(turn * Double($1)) } * 2 / Double(length)
      let rest = part.indices.reduce(0) { sum, index in
        let angle = turn * Double(index)
        let difference = part[index] - sine * sin(angle) - cosine * cos(angle)
        return sum + difference * difference
      }
      return 2 * rest / Double(length) / (sine * sine + cosine * cosine)
    }.max()
    return 10 * log10(worst ?? 1)
  }

  /// The greatest difference between neighbours.
  private static func step(_ samples: ArraySlice<Double>) -> Double {
    zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }
}

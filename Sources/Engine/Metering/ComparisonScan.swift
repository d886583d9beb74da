// ComparisonScan.swift: the first pass over two files. SPDX-License-Identifier: MIT

import AudioFiles
import RealtimeKit

/// Reads both files once: lengths, peaks, invalid samples, identity, and the loudest part of the first one.
struct ComparisonScan {
  /// The properties of a file.
  struct Side {
    var frameCount = 0
    var peak: Float = 0
    var invalid = Comparison.Invalid()
    var note: String?
  }

  /// Frames that are read at a time.
  static let blockFrames = 8_192
  /// The length of the loudest part in blocks.
  static let partBlocks = 16

  private(set) var first = Side()
  private(set) var second = Side()
  /// Whether the files have the same length and the same bits.
  private(set) var isIdentical = true
  /// The first frame of the loudest part of the first file.
  private(set) var loudestStart = 0
  private var powers: [Double] = []
  private var sum = 0.0
  private var highestSum = 0.0

  /// Reads both files.
  ///
  /// Returns nil if `shouldContinue` returns false.
  static func of(
    _ inputs: (ComparisonInput, ComparisonInput), shouldContinue: (Double?) -> Bool
  ) throws(AudioFileError) -> ComparisonScan? {
    var scan = ComparisonScan()
    var one = try inputs.0.open()
    var other = try inputs.1.open()
    let count = one.channelCount
    let rows = PlanarBuffer(channelCount: count, frameCapacity: blockFrames)
    let otherRows = PlanarBuffer(channelCount: count, frameCapacity: blockFrames)
    let expected = max(one.frameCount ?? 0, other.frameCount ?? 0)
    while true {
      let length = try one.read(into: rows.channels, frameCount: blockFrames)
      let otherLength = try other.read(into: otherRows.channels, frameCount: blockFrames)
      if length != otherLength { scan.isIdentical = false }
      let start = scan.first.frameCount
      var power = 0.0
      for channel in 0 ..< count {
        let (row, otherRow) = (rows[channel], otherRows[channel])
        power += Self.look(row, length, from: start, &scan.first)
        _ = Self.look(otherRow, otherLength, from: scan.second.frameCount, &scan.second)
        if scan.isIdentical { scan.isIdentical = Self.isEqual(row, otherRow, length) }
      }
      if length > 0 { scan.note(power, start) }
      scan.first.frameCount += length
      scan.second.frameCount += otherLength
      if length < blockFrames, otherLength < blockFrames { break }
      let done = max(scan.first.frameCount, scan.second.frameCount)
      guard shouldContinue(expected > 0 ? Double(done) / Double(expected) : nil) else { return nil }
    }
    (scan.first.note, scan.second.note) = (one.note, other.note)
    return scan
  }

  /// Updates the peak and the invalid samples; returns the sum of the squares.
  private static func look(
    _ row: UnsafeMutablePointer<Float>, _ count: Int, from start: Int, _ side: inout Side
  ) -> Double {
    var power = 0.0
    for frame in 0 ..< count {
      let magnitude = row[frame].magnitude
      guard magnitude < .infinity else {
        let position = start + frame
        if side.invalid.count == 0 || position < side.invalid.firstFrame {
          side.invalid.firstFrame = position
        }
        side.invalid.count += 1
        continue
      }
      side.peak = max(side.peak, magnitude)
      power += Double(magnitude) * Double(magnitude)
    }
    return power
  }

  private static func isEqual(
    _ row: UnsafeMutablePointer<Float>, _ other: UnsafeMutablePointer<Float>, _ count: Int
  ) -> Bool {
    for frame in 0 ..< count where row[frame].bitPattern != other[frame].bitPattern { return false }
    return true
  }

  /// Finds the loudest part by a sliding sum.
  private mutating func note(_ power: Double, _ start: Int) {
    powers.append(power)
    sum += power
    if powers.count > Self.partBlocks { sum -= powers.removeFirst() }
    guard sum > highestSum else { return }
    highestSum = sum
    loudestStart = max(0, start - (powers.count - 1) * Self.blockFrames)
  }
}

// ComparisonJSON.swift: a comparison as JSON. SPDX-License-Identifier: MIT

import HostModel
import Metering

/// A comparison as JSON; levels that are infinite are nil.
struct ComparisonJSON: Encodable {
  struct Side: Encodable {
    let name: String
    let frames: Int
    let peak: Double?
    let invalidSamples: Int
  }
  struct Levels: Encodable {
    let level: Double?
    let nullDepth: Double?
    let matchedNullDepth: Double?
    let largestDifference: Double?
  }
  struct Position: Encodable {
    let seconds: Double
    let frame: Int
    /// From 1.
    let channel: Int
    let level: Double?
  }
  struct Band: Encodable {
    let centreHz: Double
    let nullDepth: Double?
  }

  let a: Side
  let b: Side
  let sampleRateHz: Int
  let isIdentical: Bool
  /// Nil without a tolerance.
  let isAccepted: Bool?
  let delayFrames: Int
  let isDelayAmbiguous: Bool
  let similarity: Double?
  let isInverted: Bool
  let frames: Int
  let paddingFrames: Int
  let total: Levels
  let channels: [Levels]
  let bands: [Band]
  let largest: Position?
  let first: Position?
  let notes: [String]

  init(_ result: Comparison, _ tolerance: Tolerance?) {
    a = Side(result.first)
    b = Side(result.second)
    sampleRateHz = result.first.sampleRateHz
    isIdentical = result.isIdentical
    isAccepted = tolerance?.accepts(result)
    delayFrames = result.delayFrames
    isDelayAmbiguous = result.isDelayAmbiguous
    similarity = result.similarity
    isInverted = result.isInverted
    frames = result.frameCount
    paddingFrames = result.paddingFrames
    total = Levels(result.total)
    channels = result.channels.map(Levels.init)
    bands = result.bands.map { Band(centreHz: $0.centreHz, nullDepth: $0.null?.finiteForJSON) }
    let rate = Double(sampleRateHz)
    largest = result.largest.map { Position($0, rate) }
    first = result.earliest.map { Position($0, rate) }
    notes = ComparisonReport(result, tolerance).notes
  }
}

extension ComparisonJSON.Side {
  init(_ side: Comparison.Side) {
    self.init(
      name: side.name, frames: side.frameCount, peak: side.peak.finiteForJSON,
      invalidSamples: side.invalid.count)
  }
}

extension ComparisonJSON.Levels {
  init(_ levels: Comparison.Levels) {
    self.init(
      level: levels.gain?.finiteForJSON, nullDepth: levels.null.finiteForJSON,
      matchedNullDepth: levels.matchedNull.finiteForJSON,
      largestDifference: levels.peak.finiteForJSON)
  }
}

extension ComparisonJSON.Position {
  init(_ position: Comparison.Position, _ sampleRateHz: Double) {
    self.init(
      seconds: Double(position.frame) / sampleRateHz, frame: position.frame,
      channel: position.channel + 1,
      level: position.level.finiteForJSON)
  }
}

// ComparisonReport.swift: a comparison as text. SPDX-License-Identifier: MIT

import Console
import HostModel
import Metering

/// A comparison as text.
struct ComparisonReport {
  private let result: Comparison
  private let tolerance: Tolerance?
  /// More channels than this are not shown one by one.
  private static let channelLimit = 8

  init(_ result: Comparison, _ tolerance: Tolerance?) {
    (self.result, self.tolerance) = (result, tolerance)
  }

  /// Notes about the files, as messages.
  var notes: [String] {
    let sides = [result.first, result.second]
    var notes = sides.compactMap(\.note)
    for side in sides where side.invalid.count > 0 {
      let seconds = Double(side.invalid.firstFrame) / Double(side.sampleRateHz)
      let what = side.invalid.count == 1 ? "1 sample" : "\(side.invalid.count) samples"
      notes.append(
        "\(side.name) has \(what) with NaN or infinity, the first at"
          + " \(NumberFormat.duration(seconds)). Invalid samples are compared as silence.")
    }
    for side in sides where side.isSilent { notes.append("\(side.name) is silent.") }
    if result.paddingFrames != 0 {
      let (short, long) =
        result.paddingFrames > 0 ? (result.first, result.second) : (result.second, result.first)
      notes.append(
        "\(short.name) is \(abs(result.paddingFrames)) frames shorter than \(long.name) and was"
          + " padded with silence.")
    }
    if let similarity = result.similarity, similarity < Comparison.minimumSimilarity {
      notes.append("The two sides are too different to be aligned.")
    }
    if result.isDelayAmbiguous {
      notes.append(
        "The audio is periodic, so other delays align the sides as well. The smallest one is used.")
    }
    if result.frameCount == 0 {
      notes.append("With this delay the sides do not overlap. Use a smaller --delay.")
    }
    return notes
  }

  /// The result: one message if there is no difference, otherwise a table.
  var lines: [String] {
    let count = result.first.channelCount
    let channels = count == 1 ? "1 channel" : "\(count) channels"
    let size =
      "\(NumberFormat.duration(seconds(result.frameCount))), \(channels),"
      + " \(result.first.sampleRateHz) Hz"
    let names = "\(result.first.name) and \(result.second.name)".printable
    if result.isIdentical { return ["\(names) are identical to the bit: \(size)"] }
    guard result.largest != nil else {
      return ["\(names) do not differ after a delay of \(delay): \(size)"] + resultLines
    }
    var lines = ["\(names): \(size)", ""] + table.lines(width: nil) + [""]
    if !result.bands.isEmpty { lines += bandTable.lines(width: nil) + [""] }
    lines.append("Delay \(delay)\(result.isInverted ? ", inverted" : "")")
    if let largest = result.largest { lines.append("Largest difference at \(text(largest))") }
    if let first = result.earliest { lines.append("First difference at \(text(first))") }
    return lines + resultLines
  }

  private var delay: String {
    let milliseconds = NumberFormat.fixed(seconds(result.delayFrames) * 1_000, places: 2)
    return "\(result.delayFrames) frames (\(milliseconds) ms)"
  }

  /// Whether the tolerance is kept; empty without one.
  private var resultLines: [String] {
    guard let tolerance else { return [] }
    guard tolerance != .exact else { return ["The sides are not identical to the bit."] }
    let position = tolerance.accepts(result) ? "within" : "above"
    return ["The difference is \(position) the tolerance of \(tolerance.text)."]
  }

  private var table: Table {
    let each = result.channels.count <= Self.channelLimit ? result.channels : []
    let isSingle = result.channels.count == 1
    var table = Table(
      [.init(""), .init(isSingle ? "" : "ALL", .right), .init("")]
        + (isSingle ? [] : each.indices.map { Table.Column("\($0 + 1)", .right) }))
    func add(_ name: String, _ unit: String, _ value: (Comparison.Levels) -> String) {
      table.add([name, value(result.total), unit] + (isSingle ? [] : each.map(value)))
    }
    add("Level", "dB") { $0.gain.map { NumberFormat.fixed($0, places: 2) } ?? "-" }
    add("Null depth", "dB") { NumberFormat.decibels($0.null) }
    add("Null depth, level matched", "dB") { NumberFormat.decibels($0.matchedNull) }
    add("Largest difference", "dBFS") { NumberFormat.decibels($0.peak) }
    return table
  }

  /// The time, the frame and the channel of a difference.
  private func text(_ position: Comparison.Position) -> String {
    let channel = result.channels.count > 1 ? ", channel \(position.channel + 1)" : ""
    return
      "\(NumberFormat.fixed(seconds(position.frame), places: 5)) s (frame \(position.frame)\(channel))"
  }

  private var bandTable: Table {
    var table = Table(
      [.init("Band")]
        + result.bands.map { band in
          let isKilo = band.centreHz >= 1_000
          return .init(
            isKilo
              ? "\(NumberFormat.short(band.centreHz / 1_000))k" : NumberFormat.short(band.centreHz),
            .right)
        } + [.init("Hz")])
    table.add(
      ["Null depth"] + result.bands.map { $0.null.map { NumberFormat.decibels($0) } ?? "-" }
        + ["dB"])
    return table
  }

  private func seconds(_ frames: Int) -> Double {
    Double(frames) / Double(result.first.sampleRateHz)
  }
}

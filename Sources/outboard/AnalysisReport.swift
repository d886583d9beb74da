// AnalysisReport.swift: the measurements of a file as text and JSON. SPDX-License-Identifier: MIT

import Console
import HostModel
import Metering

/// The measurements of a file as text.
struct AnalysisReport {
  private let sound: FileAnalysis

  init(_ sound: FileAnalysis) { self.sound = sound }

  /// Returns one line per measurement, with the channels in columns.
  var lines: [String] {
    let reading = sound.reading
    let channels = sound.channelCount == 1 ? "1 channel" : "\(sound.channelCount) channels"
    let heading =
      "\(sound.path): \(NumberFormat.duration(sound.seconds)), \(channels), \(sound.sampleRateHz) Hz,"
      + " \(sound.frameCount) frames"
    let each = sound.channelCount > 1 ? Array(1 ... sound.channelCount) : []
    var table = Table(
      [.init(""), .init(each.isEmpty ? "" : "ALL", .right), .init("")]
        + each.map { Table.Column("\($0)", .right) })
    func add(
      _ name: String, _ value: Double, _ unit: String, _ each: [Double] = [], places: Int = 1
    ) {
      let cells = each.map { NumberFormat.fixed($0, places: places) }
      let columns = sound.channelCount > 1 ? sound.channelCount : 0
      table.add(
        [name, NumberFormat.fixed(value, places: places), unit]
          + (cells.count == columns ? cells : Array(repeating: "", count: columns)))
    }
    add("Peak", reading.highest, "dBFS", reading.channels.map(\.highest))
    add("True peak", reading.truePeak, "dBTP", reading.channels.map(\.truePeak))
    add("RMS", sound.means.max() ?? -.infinity, "dBFS", sound.means)
    add("Integrated loudness", reading.integrated, "LUFS")
    add("Loudness range", reading.range ?? 0, "LU")
    add("Momentary, highest", reading.highestMomentary, "LUFS")
    add("Short-term, highest", reading.highestShortTerm, "LUFS")
    add(
      "Clips", Double(reading.clipCount), "", reading.channels.map { Double($0.clipCount) },
      places: 0)
    let offsets = reading.channels.map(\.offset)
    add(
      "DC offset", offsets.max { abs($0) < abs($1) } ?? 0, "of 1", offsets, places: 5)
    if let correlation = sound.correlation { add("Correlation", correlation, "", places: 2) }
    add("Noise floor", sound.noiseFloor, "dBFS")
    return [heading] + table.lines(width: nil)
  }

  /// Returns one row per file.
  static func table(_ sounds: [FileAnalysis]) -> Table {
    var table = Table([
      .init("FILE", canShrink: true), .init("LENGTH", .right), .init("PEAK", .right),
      .init("TRUE", .right), .init("RMS", .right), .init("LUFS", .right), .init("LRA", .right),
      .init("MAX S", .right), .init("FLOOR", .right), .init("CLIPS", .right),
    ])
    for sound in sounds {
      let reading = sound.reading
      table.add(
        [sound.path, NumberFormat.duration(sound.seconds)]
          + [
            reading.highest, reading.truePeak, sound.means.max() ?? -.infinity, reading.integrated,
            reading.range ?? 0, reading.highestShortTerm, sound.noiseFloor,
          ].map { NumberFormat.decibels($0) } + ["\(reading.clipCount)"])
    }
    return table
  }
}

/// The measurements of a file as JSON; nil for silence.
struct FileAnalysisJSON: Encodable {
  struct Channel: Encodable {
    let peak: Double?
    let truePeak: Double?
    let rms: Double?
    let clips: Int
    let offset: Double
  }

  let file: String
  let seconds: Double
  let frames: Int
  let sampleRateHz: Int
  let peak: Double?
  let truePeak: Double?
  let integrated: Double?
  let range: Double?
  let highestMomentary: Double?
  let highestShortTerm: Double?
  let clips: Int
  let correlation: Double?
  let noiseFloor: Double?
  let channels: [Channel]

  init(_ sound: FileAnalysis) {
    let reading = sound.reading
    file = sound.path
    seconds = sound.seconds
    frames = sound.frameCount
    sampleRateHz = sound.sampleRateHz
    peak = reading.highest.finiteForJSON
    truePeak = reading.truePeak.finiteForJSON
    integrated = reading.integrated.finiteForJSON
    range = reading.range
    highestMomentary = reading.highestMomentary.finiteForJSON
    highestShortTerm = reading.highestShortTerm.finiteForJSON
    clips = reading.clipCount
    correlation = sound.correlation
    noiseFloor = sound.noiseFloor.finiteForJSON
    channels = zip(reading.channels, sound.means).map { channel, mean in
      Channel(
        peak: channel.highest.finiteForJSON, truePeak: channel.truePeak.finiteForJSON,
        rms: mean.finiteForJSON,
        clips: channel.clipCount, offset: channel.offset)
    }
  }
}

// BlackBoxWriter.swift: the last seconds of a session as files. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import HostModel
import Installation
import RenderGraph

/// Writes the black box: the data that is needed to hear, see and reproduce a fault.
///
/// `input.wav` and `output.wav` contain the audio, `blocks.csv` the time of each block and its slowest node,
/// `midi.csv` the MIDI events, `rig.yaml` the rig with its current values, and `report.json` everything else.
struct BlackBoxWriter: Sendable {
  /// A node in the report: its load in percent of a period.
  struct Node: Encodable, Sendable {
    let name: String
    let plugin: String
    let meanPercent: Double
    let p99Percent: Double
    let worstPercent: Double
    let latencyFrames: Int
    let faults: Int
  }

  /// The content of `report.json`.
  struct Report: Encodable, Sendable {
    /// `xrun`, `fault` or `asked`.
    let reason: String
    /// The end of the audio as a date in UTC.
    let time: String
    let run: String
    let seconds: Double
    let sampleRateHz: Double
    let periodFrames: Int
    let devices: [String]
    let xruns: Int
    let lostSeconds: Double
    let nodes: [Node]
    /// The last messages, the oldest first.
    let notices: [String]
  }

  let snapshot: BlackBoxSnapshot
  let report: Report
  /// Node names by the address of the node state.
  let names: [BlackBoxSnapshot.NodeAddress: String]
  let rig: String

  /// Writes everything to a new directory, which appears only when it is complete. [any]
  ///
  /// - Throws: `BlackBoxError` if it cannot be written; nothing is left then.
  func write(to path: String) throws {
    let draft = path + ".part"
    let files = FileManager.default
    do {
      // The audio can be private, so only the owner may read it.
      try files.createDirectory(
        atPath: draft, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw BlackBoxError.notWritten(path: path, reason: SystemReason.text(error))
    }
    do {
      try writeAudioFile(snapshot.inputs, to: "\(draft)/input.wav")
      try writeAudioFile(snapshot.outputs, to: "\(draft)/output.wav")
      try write(blocks, to: "\(draft)/blocks.csv")
      if !snapshot.messages.isEmpty { try write(midi, to: "\(draft)/midi.csv") }
      try write(rig, to: "\(draft)/rig.yaml")
      let text = String(decoding: JSONLine.data(report, isPretty: true), as: UTF8.self)
      try write(text + "\n", to: "\(draft)/report.json")
    } catch {
      try? files.removeItem(atPath: draft)
      throw BlackBoxError.notWritten(path: path, reason: Self.reason(error))
    }
    guard unsafe rename(draft, path) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      try? files.removeItem(atPath: draft)
      throw BlackBoxError.notWritten(path: path, reason: reason)
    }
  }

  private static func reason(_ error: any Error) -> String {
    // These messages end with a full stop.
    if let error = error as? AudioFileError {
      let text = "\(error)"
      return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
    return SystemReason.text(error)
  }

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func writeAudioFile(_ rows: [[Float]], to path: String) throws {
    guard let frameCount = rows.first?.count, frameCount > 0 else { return }
    var settings = AudioFileWriter.Settings(
      path: path, sampleRateHz: Int(snapshot.sampleRateHz), channelCount: rows.count)
    settings.format = .float
    settings.longestFrameCount = frameCount
    var writer = try AudioFileWriter(settings)
    let piece = 4_096
    var frames = [Float](repeating: 0, count: piece * rows.count)
    for start in stride(from: 0, to: frameCount, by: piece) {
      let count = min(piece, frameCount - start)
      for (channel, row) in rows.enumerated() {
        for frame in 0 ..< count { frames[frame * rows.count + channel] = row[start + frame] }
      }
      try unsafe writer.write(frames, frameCount: count)
    }
    try writer.finish()
  }

  /// Returns one line per block; times are relative to the end of the audio.
  private var blocks: String {
    let rate = snapshot.sampleRateHz
    let end = snapshot.blocks.last.map { $0.frame + $0.frameCount } ?? 0
    var text = "seconds,frame,frames,load_percent,since_last_ms,slowest_node,slowest_percent\n"
    var before: UInt64?
    for block in snapshot.blocks {
      let period = Double(block.frameCount) / rate * 1e9
      let pause = before.map { Double(block.startedAt &- $0) / 1e6 } ?? 0
      before = block.startedAt
      let slowest = block.slowest.map { node, nanoseconds in
        "\"\(names[node] ?? "?")\",\(Self.decimal(Double(nanoseconds) / period * 100))"
      }
      text +=
        "\(Self.decimal(Double(block.frame - end) / rate, places: 6)),\(block.frame),"
        + "\(block.frameCount),\(Self.decimal(Double(block.nanoseconds) / period * 100)),"
        + "\(Self.decimal(pause, places: 3)),\(slowest ?? ",")\n"
    }
    return text
  }

  private var midi: String {
    let end = snapshot.blocks.last.map { $0.frame + $0.frameCount } ?? 0
    var text = "seconds,frame,bytes,message\n"
    for message in snapshot.messages {
      let bytes = message.bytes.map {
        $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
      }
      let seconds = Double(message.frame - end) / snapshot.sampleRateHz
      text +=
        "\(Self.decimal(seconds, places: 6)),\(message.frame),\(message.byteCount),"
        + "\(bytes.joined(separator: " "))\(message.byteCount > bytes.count ? " ..." : "")\n"
    }
    return text
  }

  /// Formats numbers independently of the locale.
  private static func decimal(_ value: Double, places: Int = 2) -> String {
    var text = [CChar](repeating: 0, count: 400)
    unsafe withVaList([value]) { _ = unsafe vsnprintf(&text, text.count, "%.\(places)f", $0) }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The reason why a black box was not written.
package enum BlackBoxError: Error, Equatable, CustomStringConvertible {
  /// The path already exists.
  case exists(path: String)
  /// The parent directory does not exist or is not a directory.
  case noDirectory(path: String)
  /// The file could not be written.
  case notWritten(path: String, reason: String)
  /// No audio has been rendered yet.
  case empty

  /// The message to the user.
  package var description: String {
    switch self {
    case .exists(let path): "\(path) already exists. Choose another name."
    case .noDirectory(let path): "No such directory: \(path). Create it first."
    case .notWritten(let path, let reason): "\(path) cannot be written: \(reason)."
    case .empty: "No audio has been rendered yet. Nothing was saved."
    }
  }
}

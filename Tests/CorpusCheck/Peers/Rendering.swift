// Rendering.swift: one plugin rendered by Outboard and by its peers. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures

/// Renders the same input through a plugin in several programs.
struct Rendering {
  /// The output of a program, or its error.
  enum Outcome {
    case sound([[Float]], latency: Int)
    case failure(String)

    /// Why there is no output; empty if there is.
    var reason: String {
      if case .failure(let reason) = self { reason } else { "" }
    }
  }

  /// The rendered input.
  struct Input {
    let channelCount: Int
    /// A multiple of the peers' blocks.
    var frameCount = Rendering.frameCount
  }

  private static let sampleRateHz: UInt32 = 48_000
  /// A multiple of the peers' blocks: a sixth of a second, as some plugins are ten times slower with single frames.
  private static let frameCount = 16 * 512
  private static let impulseFrame = 64
  private static let noiseFrame = 4 * 512
  /// The time limit of one rendering; a peer that hangs is killed.
  private static let seconds = 120

  private let program: String
  private let environment: [String: String]
  private let directory: URL

  /// Renders in an existing directory.
  init(_ program: String, directory: URL, environment: [String: String]) {
    self.program = program
    self.directory = directory
    self.environment = environment
  }

  /// Renders with Outboard, in blocks of the given length.
  func ours(_ plugin: ListedPlugin, _ input: Input, blockFrames: Int) throws -> Outcome {
    let rig = path("rig.yaml")
    try Self.rig(plugin).write(toFile: rig, atomically: true, encoding: .utf8)
    let output = path("ours.wav")
    try? FileManager.default.removeItem(atPath: output)
    let (status, text) = try run(
      [
        program, "render", "--rig", rig, "-i", try file(of: input), "-o", output,
        "--block-length", "\(blockFrames)", "--format", "float", "--tail", "0", "--force", "--json",
      ], isPeer: false)
    let report = try? JSONDecoder().decode(Report.self, from: Data(text.utf8))
    guard status == 0, let latency = report?.latencyFrames, let wave = FloatWave(path: output)
    else {
      return .failure(
        report?.error.map { Sentence.lasting($0.message) } ?? Self.reason(status, text, plugin))
    }
    return .sound(wave.channels, latency: latency)
  }

  /// Renders with a peer.
  func theirs(
    _ plugin: ListedPlugin, _ peer: Peer, _ input: Input, _ values: [Peer.Value] = []
  ) throws -> Outcome {
    let output = path("theirs.wav")
    try? FileManager.default.removeItem(atPath: output)
    let (status, text) = try run(
      peer.command(plugin.id, from: try file(of: input), to: output, values),
      isPeer: true)
    guard status == 0, let wave = FloatWave(path: output) else {
      return .failure(Self.reason(status, text, plugin))
    }
    return .sound(wave.channels, latency: 0)
  }

  private struct Report: Decodable {
    struct Failure: Decodable {
      let message: String
    }
    let latencyFrames: Int?
    let error: Failure?
  }

  private func run(
    _ command: [String], isPeer: Bool
  ) throws -> (status: Int32, text: String) {
    // Outboard detects a missing display itself, and its report has the reason.
    let display = isPeer ? ["QT_QPA_PLATFORM": "offscreen"] : [:]
    return try Tool.run(
      ["/usr/bin/env", "timeout", "\(Self.seconds)"] + command,
      environment: environment.merging(display) { $1 }, joinsErrors: isPeer)
  }

  private func path(_ name: String) -> String {
    directory.appending(path: name).path(percentEncoded: false)
  }

  // MARK: - Input

  /// An impulse in every channel, each a frame later than the one before, and noise.
  private func file(of input: Input) throws -> String {
    let (channelCount, frameCount) = (input.channelCount, input.frameCount)
    let path = path("input-\(channelCount)-\(frameCount).wav")
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    var state: UInt32 = 1
    var channels = [[Float]](
      repeating: [Float](repeating: 0, count: frameCount), count: channelCount)
    for frame in Self.noiseFrame ..< frameCount {
      for channel in 0 ..< channelCount {
        state = state &* 1_664_525 &+ 1_013_904_223
        channels[channel][frame] = Float(Int32(bitPattern: state) >> 8) / 33_554_432
      }
    }
    for channel in 0 ..< channelCount { channels[channel][Self.impulseFrame + channel] = 1 }
    try FloatWave(channels: channels, sampleRateHz: Self.sampleRateHz).write(to: path)
    return path
  }

  /// Every channel of the file to every input, side chains too, as peers do.
  private static func rig(_ plugin: ListedPlugin) -> String {
    let inputs = plugin.audioInputs.indices.map { "  - in:\($0 + 1) -> plugin:\($0 + 1)" }
    let outputs = plugin.audioOutputs.indices.map { "  - plugin:\($0 + 1) -> out:\($0 + 1)" }
    return """
      outboard: 1
      nodes:
        plugin: {plugin: "\(plugin.id)"}
      connections:
      \((inputs + outputs).joined(separator: "\n"))

      """
  }

  // MARK: - Errors

  /// Returns the exit of a program, with its last output.
  private static func reason(_ status: Int32, _ text: String, _ plugin: ListedPlugin) -> String {
    let words = text.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
    let end =
      switch status {
      case 0: "wrote no sound"
      case 124: "did not end"
      case 129...: "signal \(status - 128)"
      default: "status \(status)"
      }
    let asked = plugin.requiredFeatures.compactMap {
      $0.split(whereSeparator: { "#/:".contains($0) }).last
    }
    return end + (words.isEmpty ? "" : ": \(Sentence.lasting(String(words)))")
      + (asked.isEmpty ? "" : " (it requires \(asked.joined(separator: ", ")))")
  }
}

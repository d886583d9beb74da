// FilterConvolver.swift: PipeWire's convolver as the included one. SPDX-License-Identifier: MIT

import AudioFiles
import Manifests

/// A filter `convolver` of PipeWire, which convolves one channel with one channel of a file.
///
/// PipeWire converts a file to the sample rate of the graph, and keeps the gain of the filter: it multiplies the
/// response by the ratio of the rates. The included convolver does not multiply, so the gain of the node does.
struct FilterConvolver {
  /// The included convolver, which has two channels.
  private static let plugin = ForeignProject.Plugin.module("outboard.convolver")
  /// What the included convolver allows.
  static let limits =
    "The convolver needs a file of 1, 2 or 4 channels, and no `offset`, `length` or negative `gain`."

  /// The sample rate of PipeWire's graph, unless it is configured.
  private static let graphRateHz = 48_000.0

  /// The channels of the included convolver that it uses, from 1.
  private let input: Int, output: Int
  /// The delay before it, in seconds.
  private let delaySeconds: Double
  /// The node in the project.
  private(set) var node: ForeignProject.Node

  /// Creates a convolver; nil for a file or key that the included one lacks.
  ///
  /// Files are relative to `directory`, which has a slash at its end, or is empty.
  init?(_ filter: RelaxedJSON, name: String, in directory: String) {
    let config = filter["config"], gain = config?["gain"]?.number ?? 1
    guard 0 ... 1000 ~= gain, config?["offset"]?.number ?? 0 <= 0,
      config?["length"]?.number ?? 0 <= 0,
      let file = Self.file(config?["filename"], directory)
    else { return nil }
    let given = config?["channel"]?.number.flatMap { Int(exactly: $0) }
    let count = file.channelCount
    guard count <= 2 || count == 4 && given != nil else { return nil }
    let channel = max(0, given ?? 0) % count
    // Four channels are left to left, left to right, right to left, and right to right.
    (input, output) = count == 4 ? (channel / 2 + 1, channel % 2 + 1) : (channel + 1, channel + 1)
    delaySeconds = Self.delay(config?["delay"])
    node = .init(name: name, plugin: Self.plugin, line: filter.line)
    node.outputGain = gain * file.rateHz / Self.graphRateHz
    // Without a number, each copy of the filter takes its own channel of the file.
    node.servesTwoChannels = count == 1 || count == 2 && given == nil
    node.values = [("mix", 100.0), ("normalise", 0)].map {
      .init(key: .named($0.0), value: $0.1, line: filter.line)
    }
    node.properties = [.init(uri: "impulse", text: file.path, isFile: true)]
  }

  /// Uses its channels of the included convolver, and its delay, in the connections of a project.
  func usePorts(in project: inout ForeignProject) {
    for place in project.connections.indices {
      if project.connections[place].from == .init(node.name, .named("Out")) {
        project.connections[place].from.port = .channel(output)
      }
      if project.connections[place].to == .init(node.name, .named("In")) {
        project.connections[place].to.port = .channel(input)
        guard delaySeconds > 0 else { continue }
        project.connections[place].delaySeconds =
          (project.connections[place].delaySeconds ?? 0) + delaySeconds
      }
    }
  }

  /// The first file of the graph's rate, or the one with the nearest rate.
  private static func file(
    _ names: RelaxedJSON?, _ directory: String
  ) -> (path: String, channelCount: Int, rateHz: Double)? {
    let texts = names?.text.map { [$0] } ?? names?.items.compactMap(\.text) ?? []
    return texts.prefix(8).compactMap { text in
      let path = text.hasPrefix("/") ? text : directory + text
      guard let reader = try? AudioFileReader(path: path), reader.channelCount <= 4 else {
        return nil
      }
      return (text, reader.channelCount, Double(reader.sampleRateHz))
    }.min { abs($0.rateHz - graphRateHz) < abs($1.rateHz - graphRateHz) }
  }

  /// A whole number counts frames, any other number seconds.
  private static func delay(_ value: RelaxedJSON?) -> Double {
    guard let number = value?.number, number > 0 else { return 0 }
    let isWhole = value?.text.map { Int($0) != nil } ?? false
    return min(isWhole ? number / graphRateHz : number, 10)
  }
}

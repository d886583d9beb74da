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
  /// The reason why the included convolver cannot replace a filter.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    /// What the included convolver allows.
    static let limits = Self(
      description:
        "The convolver needs a file of 1, 2 or 4 channels, and no `offset`, `length` or negative `gain`."
    )

    /// The only file, or the last of several ones, cannot be read.
    static func unreadable(_ file: String, _ error: AudioFileError) -> Self {
      if case .missing = error { return .init(description: "\(file) does not exist.") }
      return .init(description: error.description)
    }
  }

  /// The sample rate of PipeWire's graph, unless it is configured.
  private static let graphRateHz = 48_000.0

  private let name: String
  /// The channels of the included convolver that it uses, from 1.
  private let input: Int, output: Int
  /// The delay before it, in seconds.
  private let delaySeconds: Double

  /// Adds the node of a convolver to a project.
  ///
  /// Files are relative to `directory`, which has a slash at its end, or is empty.
  /// - Throws: `Problem` for a file or key that the included convolver does not allow.
  init(
    _ filter: RelaxedJSON, name: String, in directory: String, to project: inout ForeignProject
  ) throws(Problem) {
    let config = filter["config"], gain = config?["gain"]?.number ?? 1
    guard 0 ... 1000 ~= gain, config?["offset"]?.number ?? 0 <= 0,
      config?["length"]?.number ?? 0 <= 0
    else { throw .limits }
    let file = try Self.file(config?["filename"], directory)
    let given = config?["channel"]?.number.flatMap { Int(exactly: $0) }
    let count = file.channelCount
    guard count <= 2 || count == 4 && given != nil else { throw .limits }
    let channel = max(0, given ?? 0) % count
    // Four channels are left to left, left to right, right to left, and right to right.
    (input, output) = count == 4 ? (channel / 2 + 1, channel % 2 + 1) : (channel + 1, channel + 1)
    delaySeconds = Self.delay(config?["delay"])
    self.name = name
    var node = ForeignProject.Node(name: name, plugin: Self.plugin, line: filter.line)
    node.outputGain = gain * file.rateHz / Self.graphRateHz
    // Without a number, each copy of the filter takes its own channel of the file.
    node.servesTwoChannels = count == 1 || count == 2 && given == nil
    node.values.append(.init(key: .named("mix"), value: 100, line: filter.line))
    node.values.append(.init(key: .named("normalise"), value: 0, line: filter.line))
    node.properties.append(.init(uri: "impulse", text: file.path, isFile: true))
    project.nodes.append(node)
  }

  /// Uses its channels of the included convolver, and its delay, in the connections of a project.
  func usePorts(in project: inout ForeignProject) {
    for index in project.connections.indices {
      if project.connections[index].from == .init(name, .named("Out")) {
        project.connections[index].from.port = .channel(output)
      }
      if project.connections[index].to == .init(name, .named("In")) {
        project.connections[index].to.port = .channel(input)
        guard delaySeconds > 0 else { continue }
        project.connections[index].delaySeconds =
          (project.connections[index].delaySeconds ?? 0) + delaySeconds
      }
    }
  }

  /// The first file of the graph's rate, or the one with the nearest rate.
  private static func file(
    _ names: RelaxedJSON?, _ directory: String
  ) throws(Problem) -> (path: String, channelCount: Int, rateHz: Double) {
    var best: (path: String, channelCount: Int, rateHz: Double)?
    var problem = Problem.limits
    for name in names.map({ $0.items.isEmpty ? [$0] : $0.items }) ?? [] {
      guard let text = name.text else { continue }
      do throws(AudioFileError) {
        let reader = try AudioFileReader(path: text.hasPrefix("/") ? text : directory + text)
        let rate = Double(reader.sampleRateHz)
        if let best, abs(best.rateHz - graphRateHz) <= abs(rate - graphRateHz) { continue }
        best = (text, reader.channelCount, rate)
      } catch {
        problem = .unreadable(text, error)
      }
    }
    guard let best else { throw problem }
    return best
  }

  /// A whole number counts frames, any other number seconds.
  private static func delay(_ value: RelaxedJSON?) -> Double {
    guard let number = value?.number, number > 0 else { return 0 }
    let isWhole = value?.text.map { Int($0) != nil } ?? false
    return min(isWhole ? number / graphRateHz : number, 10)
  }
}

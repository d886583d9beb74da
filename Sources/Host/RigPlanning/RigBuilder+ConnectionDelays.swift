// RigBuilder+ConnectionDelays.swift: delayed connections of a graph. SPDX-License-Identifier: MIT

package import ErrorModel
import RenderGraph

/// The delayed connections of a rig under construction: one delay line per channel and time.
struct ConnectionDelays {
  /// The delay lines of the graph.
  private(set) var lines: [ConnectionDelay] = []
  private let known: [ConnectionDelay]
  private let sampleRateHz: Double
  private let maximumFrameCount: Int
  private var exits: [ConnectionDelay.Key: Graph.NodeID] = [:]

  /// - Parameters:
  ///   - known: the existing delays, whose content is kept.
  ///   - sampleRateHz: the sample rate, in Hz.
  ///   - maximumFrameCount: the longest block, in frames.
  init(_ known: [ConnectionDelay], sampleRateHz: Double, maximumFrameCount: Int) {
    (self.known, self.sampleRateHz) = (known, sampleRateHz)
    self.maximumFrameCount = maximumFrameCount
  }

  /// Returns the delayed output of a source, and creates the delay if there is none yet.
  ///
  /// - Parameters:
  ///   - source: the channel that is delayed.
  ///   - name: identifies the channel in other graphs of the rig.
  ///   - seconds: the delay.
  ///   - closesLoop: whether the audio returns to the source, which requires at least one block.
  ///   - graph: the graph that the delay is added to.
  /// - Returns: the delayed channel.
  /// - Throws: `ConnectionDelayError`, or an error of the graph.
  mutating func delayedSource(
    of source: Graph.Source, named name: (node: String?, channel: Int), seconds: Double,
    closesLoop: Bool, in graph: inout Graph
  ) throws -> Graph.Source {
    let frames = Int((seconds * sampleRateHz).rounded())
    guard closesLoop || frames > 0 else { return source }
    guard !closesLoop || frames >= maximumFrameCount else {
      throw ConnectionDelayError(
        node: name.node, seconds: seconds, sampleRateHz: sampleRateHz,
        blockFrames: maximumFrameCount)
    }
    let key = ConnectionDelay.Key(
      node: name.node, channel: name.channel, frameCount: frames, closesLoop: closesLoop)
    if let exit = exits[key] { return .node(exit, channel: 0) }
    let line =
      known.first { $0.key == key } ?? ConnectionDelay(key, maximumFrameCount: maximumFrameCount)
    lines.append(line)
    let title = "\(name.node ?? "in"):\(name.channel + 1)"
    let entrance = graph.add(
      line.entrance,
      named: closesLoop ? "\(title) into \(frames) frames" : "\(title) after \(frames) frames")
    try graph.connect(source, to: .node(entrance, channel: 0))
    let exit =
      closesLoop ? graph.add(line.exit, named: "\(title) after \(frames) frames") : entrance
    exits[key] = exit
    return .node(exit, channel: 0)
  }
}

/// The reason why a connection cannot have its delay.
package struct ConnectionDelayError: Equatable {
  let node: String?
  let seconds: Double
  let sampleRateHz: Double
  let blockFrames: Int

  /// The message to the user.
  package var description: String {
    "The delay of \(Self.milliseconds(seconds)) after \(node ?? "in") closes a loop and is"
      + " shorter than a block of \(blockFrames) frames"
      + " (\(Self.milliseconds(Double(blockFrames) / sampleRateHz)) at"
      + " \(Int(sampleRateHz.rounded())) Hz). Use a longer delay or a shorter period."
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let rounded = (seconds * 1e5).rounded(.up) / 100
    return rounded == rounded.rounded() ? "\(Int(rounded)) ms" : "\(rounded) ms"
  }
}

extension ConnectionDelayError: HostError {
  /// Impossible delays are errors of the request.
  package var kind: ErrorKind { .usage }
}

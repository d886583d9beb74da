// RigBuilder+Feedback.swift: connections that take their time. SPDX-License-Identifier: MIT

import RenderGraph

/// The ways back of a rig that is being built: one for each channel and delay.
struct FeedbackLines {
  /// Those that the graph has.
  private(set) var lines: [FeedbackLine] = []
  private let known: [FeedbackLine]
  private let sampleRateHz: Double
  private let maximumFrameCount: Int
  private var exits: [FeedbackLine.Key: Graph.NodeID] = [:]

  /// - Parameters:
  ///   - known: those that are there already, with what is in them.
  ///   - sampleRateHz: frames a second.
  ///   - maximumFrameCount: the longest block.
  init(_ known: [FeedbackLine], sampleRateHz: Double, maximumFrameCount: Int) {
    (self.known, self.sampleRateHz) = (known, sampleRateHz)
    self.maximumFrameCount = maximumFrameCount
  }

  /// What gives out what a source gave so long ago; made where it is not there yet.
  ///
  /// - Throws: `FeedbackError`, or what the graph has against it.
  mutating func exit(
    of source: Graph.Source, named name: (node: String?, channel: Int), seconds: Double,
    in graph: inout Graph
  ) throws -> Graph.Source {
    let frames = Int((seconds * sampleRateHz).rounded())
    guard frames >= maximumFrameCount else {
      throw FeedbackError(
        node: name.node, seconds: seconds, sampleRateHz: sampleRateHz,
        blockFrames: maximumFrameCount)
    }
    let key = FeedbackLine.Key(node: name.node, channel: name.channel, frameCount: frames)
    if let exit = exits[key] { return .node(exit, channel: 0) }
    let line =
      known.first { $0.key == key } ?? FeedbackLine(key, maximumFrameCount: maximumFrameCount)
    lines.append(line)
    let title = "\(name.node ?? "in"):\(name.channel + 1)"
    let entrance = graph.add(line.entrance, named: "\(title) into \(frames) frames")
    try graph.connect(source, to: .node(entrance, channel: 0))
    let exit = graph.add(line.exit, named: "\(title) after \(frames) frames")
    exits[key] = exit
    return .node(exit, channel: 0)
  }
}

/// Why a connection cannot take the time that it shall.
package struct FeedbackError: Error, Equatable, CustomStringConvertible {
  let node: String?
  let seconds: Double
  let sampleRateHz: Double
  let blockFrames: Int

  /// One sentence that says what would be right.
  package var description: String {
    "The delay of \(Self.milliseconds(seconds)) behind \(node ?? "in") is shorter than a block, which"
      + " has up to \(blockFrames) frames, \(Self.milliseconds(Double(blockFrames) / sampleRateHz)) at"
      + " \(Int(sampleRateHz.rounded())) Hz; make it as long at least, or the period shorter."
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let rounded = (seconds * 1e5).rounded(.up) / 100
    return rounded == rounded.rounded() ? "\(Int(rounded)) ms" : "\(rounded) ms"
  }
}

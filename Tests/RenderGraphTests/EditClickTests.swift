// EditClickTests.swift: a tone through every kind of edit. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

@Suite struct EditClickTests {
  /// Two parallel paths, one of them with or without nodes, and optionally a feedback path.
  private static func ways(
    _ nodes: [any Node], gain: Float = 0.5, isConnected: Bool = true, goesPast: Bool = false,
    back: ConnectionDelay? = nil, backGain: Float = 0.3
  ) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    try graph.connect(.input(channel: 0), to: .output(channel: 0), gain: gain)
    let ids = nodes.enumerated().map { graph.add($1, named: "n\($0)") }
    guard let first = ids.first, let last = ids.last else { return graph }
    try graph.connect(.input(channel: 0), to: .node(first, channel: 0))
    for (from, to) in zip(ids, ids.dropFirst()) {
      try graph.connect(.node(from, channel: 0), to: .node(to, channel: 0))
    }
    if goesPast { try graph.connect(.input(channel: 0), to: .node(last, channel: 0)) }
    if isConnected {
      try graph.connect(.node(last, channel: 0), to: .output(channel: 0), gain: 0.5)
    }
    if let back {
      let entrance = graph.add(back.entrance, named: "entrance")
      let exit = graph.add(back.exit, named: "exit")
      try graph.connect(.node(last, channel: 0), to: .node(entrance, channel: 0))
      try graph.connect(
        .node(exit, channel: 0), to: .node(first, channel: 0), gain: backGain, delayFrames: 0)
    }
    return graph
  }

  /// The kinds of edits.
  enum Kind: CaseIterable {
    case gain, insertion, lateInsertion, echoBehindDelay, removal, lateRemoval, replacement,
      lateReplacement, move, disconnection, connection, wayBack, wayBackRemoval, wayBackDelay,
      wayBackGain, another
  }

  private static func line(_ frameCount: Int) -> ConnectionDelay {
    ConnectionDelay(
      ConnectionDelay.Key(node: "n", channel: 0, frameCount: frameCount), maximumFrameCount: 64)
  }

  private static func graphs(_ kind: Kind) throws -> (Graph, Graph) {
    let kept = SumNode(inputs: 1, outputs: 1, latency: 17)
    let plain = SumNode(inputs: 1, outputs: 1)
    let late = SumNode(inputs: 1, outputs: 1, latency: 700)
    let later = SumNode(inputs: 1, outputs: 1, latency: 1_500)
    let (back, other) = (Self.line(1_000), Self.line(1_490))
    return switch kind {
    case .gain: (try ways([kept]), try ways([kept], gain: 0.1))
    case .insertion: (try ways([]), try ways([plain]))
    case .lateInsertion: (try ways([]), try ways([late]))
    // The new node must be warmed up, because its delay line must be full.
    case .echoBehindDelay:
      (try ways([]), try ways([later, EchoNode(frames: 3_900, feedback: 0.5)], goesPast: true))
    case .removal: (try ways([EchoNode(frames: 2_000, feedback: 0.3)]), try ways([]))
    case .lateRemoval: (try ways([late]), try ways([]))
    case .replacement: (try ways([kept]), try ways([SumNode(inputs: 1, outputs: 1, gain: -1)]))
    // A plugin with another latency than before is aligned again.
    case .lateReplacement:
      (try ways([kept, plain]), try ways([SumNode(inputs: 1, outputs: 1, latency: 311), plain]))
    // If two nodes are exchanged, one is replaced, because both orders together would be a loop.
    case .move: (try ways([kept, plain]), try ways([SumNode(inputs: 1, outputs: 1), kept]))
    case .disconnection: (try ways([kept]), try ways([kept], isConnected: false))
    case .connection: (try ways([kept], isConnected: false), try ways([kept]))
    case .wayBack: (try ways([kept]), try ways([kept], back: back))
    case .wayBackRemoval: (try ways([kept], back: back), try ways([kept]))
    case .wayBackDelay: (try ways([kept], back: back), try ways([kept], back: other))
    case .wayBackGain: (try ways([kept], back: back), try ways([kept], back: back, backGain: -0.5))
    // The two graphs have no node in common.
    case .another:
      (
        try ways([kept, EchoNode(frames: 1_777, feedback: 0.4)], back: back),
        try ways([late, plain], gain: 0.2, back: other)
      )
    }
  }

  private static func tone(_ channel: Int, _ frame: Int) -> Float {
    Float(0.5 * sin(2 * Double.pi * 1_000 / 48_000 * Double(frame)))
  }

  @Test(arguments: Kind.allCases)
  func `a tone through an edit has no spur above -90 dBFS`(kind: Kind) throws {
    let (before, after) = try Self.graphs(kind)
    let scene = try GraphTestBench(before)
    // The tone starts long before the measurement, and the edit is in the middle.
    scene.render(48_000, Self.tone)
    scene.render(1 << 14, Self.tone)
    try scene.editor.edit(to: after)
    scene.render(1 << 14, Self.tone)
    for spur in spurs(of: Array(scene.output[0].suffix(1 << 15))) {
      #expect(spur.decibels < -90, "\(kind): \(spur)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a tone through an edit and its undo has no click`(kind: Kind) throws {
    let (before, after) = try Self.graphs(kind)
    var detector = ClickDetector()
    let scene = try GraphTestBench(before)
    let tone = { [detector] (_: Int, frame: Int) in detector.tone(at: frame) }
    scene.render(48_000, tone)
    let start = scene.output[0].count
    try scene.editor.edit(to: after)
    scene.render(5_000, tone)
    // Undone and redone, at rest and during a fade.
    try scene.editor.edit(to: before)
    scene.render(1_234, tone)
    try scene.editor.edit(to: after)
    scene.render(9_600, tone)
    for sample in scene.output[0][start...] { detector.hear(sample) }
    #expect(detector.worstDecibels < -90, "\(kind): \(detector.worst)")
    #expect(scene.output[0].suffix(9_600).contains { abs($0) > 0.01 })
  }

  @Test func `the test detects a click at -90 dBFS, and a fade is not one`() {
    func worst(_ change: (Float, Int) -> Float) -> Double {
      var detector = ClickDetector()
      for frame in 0 ..< 9_600 { detector.hear(change(detector.tone(at: frame), frame)) }
      return detector.worstDecibels
    }
    #expect(worst { sample, _ in sample } < -120)
    #expect(worst { sample, frame in frame < 4_800 ? sample : sample + 3.3e-5 } > -90)
    #expect(worst { sample, frame in frame < 4_920 ? sample : 0.999 * sample } > -90)
    let curve = FadeCurve(sampleRateHz: 48_000)
    #expect(worst { sample, frame in frame < 2_400 ? sample * curve.gains[frame] : sample } < -100)
  }
}

// IsolatedChainTests.swift: isolated nodes in a row, which one request renders. SPDX-License-Identifier: MIT

import CIsolation
import Foundation
import Glibc
import LV2Fixtures
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation

/// A module that adds its level to its input.
private let addingSource = """
  // outboard: inputs: 2, outputs: 2, parameters: [{symbol: level, name: Level, minimum: 0, default: 0, maximum: 1e9}]
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i] + p[0];
  }
  """

@Suite(.serialized) struct `Isolated nodes in a row` {
  private static let band = NodeIsolation.group("band")

  /// The number of nodes in the last request of each node.
  private func requestedCounts(_ player: IsolatedRig) -> [UInt32] {
    player.isolated.map { $0.state.pointee.block.pointee.chain_count }
  }

  /// Renders a rig in this process and in a group, and expects the same output.
  ///
  /// - Returns: the number of nodes in the last request of each node.
  private func compare(
    _ rig: RigDescription, _ workshop: RigTestEnvironment, guardsNodes: Bool = false,
    isSilent: Bool = false, sourceLocation: Testing.SourceLocation = #_sourceLocation,
    each: (IsolatedRig, Int) -> Void = { _, _ in }
  ) throws -> [UInt32] {
    var counts: [UInt32] = []
    let outputs = try [NodeIsolation.off, Self.band].map { isolation in
      let player = try IsolatedRig(
        rig, workshop.library, isolation, guardsNodes: guardsNodes)
      for turn in 0 ..< 200 {
        each(player, turn)
        player.render([256, 64, 1, 200][turn % 4])
      }
      counts = requestedCounts(player)
      #expect(player.isolated.allSatisfy { $0.describeFault() == nil })
      return player.takeOutput()
    }
    let difference = zip(outputs[0].audio, outputs[1].audio).map { plain, isolated in
      zip(plain, isolated).enumerated().first { $0.1.0 != $0.1.1 }?.offset
    }
    #expect(difference.allSatisfy { $0 == nil }, sourceLocation: sourceLocation)
    #expect(
      outputs[1].audio.allSatisfy { $0.contains { abs($0) > 0.001 } } != isSilent,
      sourceLocation: sourceLocation)
    #expect(outputs[0].readouts == outputs[1].readouts, sourceLocation: sourceLocation)
    return counts
  }

  @Test func `are rendered by one request, with values that change`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"], bundles: ["mda.lv2"])
    let rig = try workshop.chain(
      "outboard.gain", "http://drobilla.net/plugins/mda/Ambience", "outboard.reverb")
    let counts = try compare(rig, workshop) { player, turn in
      guard turn % 5 == 2 else { return }
      player.members[0].nodes[0].setParameter(0, to: Float(-turn) / 8)
      player.members[1].nodes[0].setParameter(0, to: Float(turn) / 200)
      player.members[2].nodes[0].setParameter(0, to: Float(turn) / 4)
    }
    #expect(counts == [3, 0, 0])
  }

  @Test func `may have other readers and several sources`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"], bundles: ["mda.lv2"])
    let rig = try workshop.rig(
      """
      nodes:
        a: {plugin: outboard.gain, parameters: {gain: -3}}
        b: {plugin: "http://drobilla.net/plugins/mda/Delay"}
        c: {plugin: "http://drobilla.net/plugins/mda/Ambience"}
      connections: [in -> a -> b, "a:1 -> c:1", "b:2 -> c:2", "c -> out:1-2", "a -> out:3-4"]
      """)
    #expect(try compare(rig, workshop) == [3, 0, 0])
  }

  @Test func `make separate requests if something is between them`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "delay"], bundles: ["mda.lv2"])
    let nodes = """
      nodes:
        a: {plugin: outboard.gain}
        b: {plugin: "http://drobilla.net/plugins/mda/Ambience"}
      """
    for rest in [
      "connections: [in -> a, {from: a, to: b, gain: -6}, b -> out]",
      "connections: [in -> a -> b -> out, in -> b]",
      "connections: [in -> a, {from: a, to: b, delay: 3 ms}, b -> out]",
      """
      connections: [in -> a -> b -> out]
      automation: [{parameter: b.size, points: [[0, 0], [0.1, 1]]}]
      """,
      """
      connections: [in -> a -> b -> out]
      automation: [{parameter: a.gain, points: [[0, 0], [0.1, -6]]}]
      """,
    ] {
      #expect(try compare(try workshop.rig("\(nodes)\n\(rest)"), workshop) == [1, 1], "\(rest)")
    }
  }

  @Test func `are guarded as in process`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let path = try workshop.write(addingSource, as: "add.c")
    let rig = try workshop.chain("outboard.gain", path, "outboard.gain")
    // Above the level at which the guard silences a node, then NaN.
    for level in [Float(1e8), .nan] {
      _ = try compare(rig, workshop, guardsNodes: true) { player, turn in
        guard turn == 20 || turn == 90 else { return }
        player.members[1].nodes[0].setParameter(0, to: turn == 20 ? level : 0)
      }
    }
    // Above full scale, where the guard does nothing.
    let counts = try compare(rig, workshop, guardsNodes: true) { player, turn in
      if turn == 20 { player.members[1].nodes[0].setParameter(0, to: 99) }
      if turn == 60 { player.members[1].nodes[0].setParameter(0, to: 0) }
    }
    #expect(counts == [3, 0, 0])
  }

  private func faultyRig(_ workshop: RigTestEnvironment) throws -> IsolatedRig {
    let path = try workshop.write(illSource, as: "ill.c")
    return try IsolatedRig.ready {
      let player = try IsolatedRig(
        try workshop.chain(path, path, path), workshop.library, Self.band, isOffline: false,
        maximumFrameCount: 1_024)
      player.input = IsolatedRig.tone
      return player
    } when: { player in
      isTone(player.render(1_024), of: 0.125, player) && requestedCounts(player)[0] == 3
    }
  }

  private func isTone(_ block: [[Float]], of gain: Float, _ player: IsolatedRig) -> Bool {
    (0 ..< 1_024).allSatisfy {
      block[0][$0] == IsolatedRig.tone(0, player.frame - 1_024 + $0) * gain
    }
  }

  @Test(arguments: [0, 1, 2], WorkerFailure.all)
  func `are bypassed together, and the one that failed is known`(index: Int, end: WorkerFailure)
    throws
  {
    let workshop = try RigTestEnvironment()
    let player = try faultyRig(workshop)
    let start = player.frame
    player.members[index].nodes[0].setParameter(0, to: end.value)
    player.render(1_024)
    let isBypassed = isTone(player.render(1_024), of: 1, player)
    #expect(isBypassed)
    let deadline = Deadline()
    while player.isolated.contains(where: { $0.describeFault() == nil }) {
      player.render(1_024)
      try deadline.rest(0.001)
    }
    #expect(player.isolated.map(\.isCulprit) == (0 ..< 3).map { $0 == index })
    #expect(
      player.isolated[index].describeFault()?.text.hasPrefix(end.text.prefix(22)) == true)
    let output = player.takeOutput().audio[0].dropFirst(start)
    let steps = zip(output.dropFirst(), output).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < Float(sin(Double.pi / 48)) * 1.01)
  }

  @Test func `sound again after their process was stopped for a while`() throws {
    let workshop = try RigTestEnvironment()
    let deadline = Deadline()
    var faults: [IsolationFaultKind]
    repeat {
      let player = try faultyRig(workshop)
      try stopOnce(player, deadline)
      while player.isolated.allSatisfy({ $0.fault == nil }),
        requestedCounts(player)[0] != 3 || !isTone(player.render(1_024), of: 0.125, player)
      {
        player.render(1_024)
        try deadline.rest(0.001)
      }
      faults = player.isolated.compactMap(\.fault)
      let output = player.takeOutput().audio[0].dropFirst(4_096)
      let steps = zip(output.dropFirst(), output).map { abs($0 - $1) }
      #expect((steps.max() ?? 1) < Float(sin(Double.pi / 48)) * 1.01)
      // A busy machine can delay other answers so often that the nodes are left out.
    } while faults.contains(.slow) || faults.contains(.stalled)
    #expect(faults.isEmpty)
  }

  /// Makes one answer of a chain late, and waits until it is there.
  private func stopOnce(_ player: IsolatedRig, _ deadline: Deadline) throws {
    let first = player.isolated[0]
    stopProcess(of: first)
    let late = first.lateCount
    while first.lateCount == late { player.render(1_024) }
    kill(first.worker.process, SIGCONT)
    let (block, request) = (first.state.pointee.block, first.state.pointee.request)
    while block.pointee.answered != request, first.fault == nil { try deadline.rest(0.001) }
  }

  @Test func `do not use what a damaged process writes`() throws {
    let workshop = try RigTestEnvironment()
    let player = try faultyRig(workshop)
    let block = player.isolated[0].state.pointee.block
    for count in [UInt32(0), 2, .max] {
      // As if the worker had written it: the others are then requested separately, or used as they are.
      block.pointee.rendered_count = count
      player.render(1_024)
    }
    block.pointee.owner = 12_345
    player.render(1_024)
    let isBypassed = isTone(player.render(1_024), of: 1, player)
    #expect(isBypassed)
    #expect(player.isolated.allSatisfy { $0.fault == .ended })
  }
}

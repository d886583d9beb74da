// BlockLateTests.swift: isolated nodes whose output is used one block later. SPDX-License-Identifier: MIT

import CRealtime
import Foundation
import Glibc
import LV2Fixtures
import PluginLoading
import PluginModel
import RealtimeKit
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation

@Suite(.serialized) struct `An isolated node that is one block late` {
  private static let late = NodeIsolation(.own, isBlockLate: true)
  private static let lateGroup = NodeIsolation(.group("band"), isBlockLate: true)
  private static let longest = 256

  /// Renders a rig in this process and late, and expects the same output after `blockCount` of the longest blocks.
  private func compare(
    _ rig: RigDescription, _ workshop: RigTestEnvironment, isolation: NodeIsolation = late,
    delayedBy blockCount: Int, blocks: [Int] = [256, 64, 1, 200],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let outputs = try [NodeIsolation.off, isolation].map { isolation in
      let player = try IsolatedRig(rig, workshop.library, isolation)
      for turn in 0 ..< 80 { player.render(blocks[turn % blocks.count]) }
      #expect(player.isolated.allSatisfy { $0.describeFault() == nil })
      return player.takeOutput()
    }
    let delay = blockCount * Self.longest
    for (plain, late) in zip(outputs[0].audio, outputs[1].audio) {
      let difference = zip(late.dropFirst(delay), plain).enumerated().first { $0.1.0 != $0.1.1 }
      #expect(difference?.offset == nil, sourceLocation: sourceLocation)
      #expect(late.prefix(delay).allSatisfy { $0 == 0 }, sourceLocation: sourceLocation)
      #expect(plain.contains { abs($0) > 0.001 }, sourceLocation: sourceLocation)
    }
    #expect(outputs[0].parameters == outputs[1].parameters, sourceLocation: sourceLocation)
  }

  @Test func `outputs the same as in process, later by the longest block`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"], bundles: ["mda.lv2"])
    let rig = try workshop.chain("http://drobilla.net/plugins/mda/Ambience")
    try compare(rig, workshop, delayedBy: 1)
    try compare(rig, workshop, delayedBy: 1, blocks: [256])
    // A node after another one gets the same blocks only if all have the longest length.
    let chain = try workshop.chain("outboard.gain", "http://drobilla.net/plugins/mda/Ambience")
    try compare(chain, workshop, isolation: Self.lateGroup, delayedBy: 2, blocks: [256])
    let player = try IsolatedRig(rig, workshop.library, Self.late)
    #expect(player.isolated.map(\.latencyFrames) == [Self.longest])
  }

  @Test func `is compensated in parallel paths`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"])
    let rig = try workshop.rig(
      """
      nodes: {reverb: {plugin: outboard.reverb}, gain: {plugin: outboard.gain, isolate: off}}
      connections: [in -> reverb -> out, in -> gain -> out, in -> out]
      """)
    for names in [["reverb"], ["reverb", "gain"]] {
      let outputs = try [NodeIsolation.off, Self.late].map { isolation in
        let player = try IsolatedRig(rig, workshop.library, isolation, only: names)
        for turn in 0 ..< 40 { player.render([100, 256][turn % 2]) }
        return player.takeOutput().audio
      }
      let isSame = outputs[1][0].dropFirst(Self.longest) == outputs[0][0].dropLast(Self.longest)
      #expect(isSame)
    }
  }

  @Test func `follows lanes, which split blocks, and the transport`() throws {
    let workshop = try RigTestEnvironment(
      modules: ["gain", "delay"], bundles: ["eg-metro.lv2", "mda.lv2"])
    // More pieces than a request contains, in each block of the first second.
    let points = (0 ..< 3_000).map {
      "[\(Double($0) / 24_000), \($0 % 2 == 0 ? 0 : -6)\($0 == 0 ? "" : ", step")]"
    }
    let rig = try workshop.rig(
      """
      transport: {tempo: 173, time_signature: 3/4}
      nodes:
        metro: {plugin: "http://lv2plug.in/plugins/eg-metro"}
        gain: {plugin: outboard.gain}
        delay: {plugin: "http://drobilla.net/plugins/mda/Delay"}
      connections: [metro -> gain -> delay -> out]
      automation:
        - {parameter: gain.gain, points: [\(points.joined(separator: ", "))]}
        - {parameter: delay.fx_mix, points: [[0, 0], [0.07, 0.8]]}
      """)
    try compare(rig, workshop, delayedBy: 3, blocks: [256])
    try compare(rig, workshop, isolation: Self.lateGroup, delayedBy: 3, blocks: [256])
  }

  @Test func `sends its MIDI later by the longest block`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-fifths.lv2"])
    let plugin = try workshop.library.find("http://lv2plug.in/plugins/eg-fifths")
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
    configuration.isolation = Self.late
    let node = try workshop.library.makeNode(plugin, configuration)
    try node.activate()
    defer { node.deactivate() }
    let input = try #require(node.eventInput)
    let output = try #require(node.eventOutput)
    var sent: [Int] = []
    var received: [Int] = []
    var frame = 0
    for count in [64, 10, 54, 1, 63, 64, 64, 64] {
      if sent.count < 5 {
        sent.append(frame + count / 2)
        crealtime_send_event(input.function, input.context, UInt32(count / 2), [0x90, 60, 100], 3)
      }
      var step = crealtime_step(
        function: node.step.function, context: node.step.context,
        buffers: UnsafePointer(UnsafeMutablePointer.allocate(capacity: 1)))
      crealtime_call_step(&step, UInt32(count))
      received += (0 ..< output.pointee.count).map { frame + Int(output.pointee.frame(at: $0)) }
      frame += count
    }
    // Each note and its fifth.
    #expect(received == sent.flatMap { [$0 + 64, $0 + 64] })
  }

  @Test func `does not wait, and passes its delayed input while its process is stopped`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    func isTone(_ player: IsolatedRig, _ isRight: (Float, Float) -> Bool) -> Bool {
      let block = player.render(1_024)
      return (0 ..< 1_024).allSatisfy {
        isRight(block[0][$0], IsolatedRig.tone(0, player.frame - 2_048 + $0))
      }
    }
    func isWet(_ player: IsolatedRig) -> Bool { isTone(player) { abs($0 - $1 / 2) < 1e-4 } }
    let player = try IsolatedRig.ready {
      let player = try IsolatedRig(
        try workshop.chain("outboard.gain"), workshop.library, Self.late, isOffline: false,
        maximumFrameCount: 1_024)
      player.input = IsolatedRig.tone
      player.members[0].nodes[0].setParameter(0, to: -6.020_6)
      player.render(1_024)
      return player
    } when: {
      isWet($0)
    }
    let node = try #require(player.isolated.first)
    let deadline = Deadline()
    stopProcess(of: node)
    let lateCount = node.lateCount
    while node.lateCount == lateCount { player.render(1_024) }
    // The block that was due, and a fade.
    player.render(1_024)
    let isDry = isTone(player) { $0 == $1 }
    #expect(isDry)
    kill(node.worker.process, SIGCONT)
    while node.fault == nil, !isWet(player) { try deadline.rest(0.002) }
    kill(node.worker.process, SIGKILL)
    while node.describeFault() == nil { try deadline.rest() }
    for _ in 0 ..< 3 { player.render(1_024) }
    let isBypassed = isTone(player) { $0 == $1 }
    #expect(isBypassed)
    let output = player.takeOutput().audio[0].dropFirst(4_096)
    let steps = zip(output.dropFirst(), output).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < Float(sin(Double.pi / 48)) * 1.01)
  }

  @Test func `starts with silence again after a reset`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let player = try IsolatedRig(
      try workshop.chain("outboard.gain"), workshop.library, Self.late)
    player.render(256)
    player.render(100)
    player.isolated[0].reset()
    let start = player.frame
    player.render(56)
    player.render(200)
    player.render(256)
    let output = player.takeOutput().audio[0].dropFirst(start)
    #expect(output.prefix(256).allSatisfy { $0 == 0 })
    let isSame =
      Array(output.dropFirst(256)) == (start ..< start + 256).map { IsolatedRig.noise(0, $0) }
    #expect(isSame)
  }
}

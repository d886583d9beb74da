// LiveFaultTests.swift: live nodes whose worker process fails. SPDX-License-Identifier: MIT

import CIsolation
import Foundation
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation

@Suite(.serialized) struct `A live isolated node` {
  private static let frames = 1_024
  /// The largest step of the tone, and one percent for the sum of two fades.
  private static let largestStep = Float(sin(Double.pi / 48)) * 1.01

  /// A rig with an isolated module on two outputs, and another module in this process on two more.
  private func rig(_ workshop: RigTestEnvironment, _ isolation: NodeIsolation) throws -> IsolatedRig
  {
    let path = try workshop.write(illSource, as: "ill.c")
    let rig = try workshop.rig(
      """
      nodes: {ill: {plugin: "\(path)"}, gain: {plugin: outboard.gain, isolate: off}}
      connections: ["in -> ill -> out:1-2", "in -> gain -> out:3-4"]
      """)
    let player = try IsolatedRig(
      rig, workshop.library, isolation, isOffline: false, maximumFrameCount: Self.frames,
      only: ["ill"])
    player.input = IsolatedRig.tone
    return player
  }

  /// Returns a rig whose isolated node is active.
  private func readyRig(_ workshop: RigTestEnvironment) throws -> IsolatedRig {
    try IsolatedRig.ready {
      try rig(workshop, .own)
    } when: { player in
      isTone(player.render(Self.frames), of: 0.5, before: player.frame)
    }
  }

  /// Whether a block is the input with a gain.
  private func isTone(_ block: [[Float]], of gain: Float, before frame: Int) -> Bool {
    (0 ..< Self.frames).allSatisfy {
      block[0][$0] == IsolatedRig.tone(0, frame - Self.frames + $0) * gain
    }
  }

  private func render(
    _ player: IsolatedRig, until isRight: ([[Float]]) throws -> Bool
  ) throws {
    let deadline = Deadline()
    while try !isRight(player.render(Self.frames)) { try deadline.rest(0.001) }
  }

  @Test(
    arguments: WorkerFailure.all + [
      WorkerFailure(value: 5, text: "did not return from a block for 170 ms")
    ])
  func `becomes its bypass within the block, without a step, and nothing else changes`(
    end: WorkerFailure
  ) throws {
    let workshop = try RigTestEnvironment()
    let player = try readyRig(workshop)
    let node = try #require(player.isolated.first)
    let undisturbed = player.frame
    player.members[0].nodes[0].setParameter(0, to: end.value)
    player.render(Self.frames)
    // The fade takes 10 ms: from the next block on, the input passes.
    #expect(isTone(player.render(Self.frames), of: 1, before: player.frame))
    try render(player) {
      #expect(isTone($0, of: 1, before: player.frame))
      return node.fault != nil
    }
    #expect(node.describeFault()?.text.hasPrefix(end.text.prefix(30)) == true)
    #expect(node.worker.hasEnded)
    let output = player.takeOutput().audio
    for channel in 0 ..< 2 {
      let steps = zip(
        output[channel].dropFirst(undisturbed), output[channel].dropFirst(undisturbed - 1)
      )
      .map { abs($0 - $1) }
      #expect((steps.max() ?? 1) < Self.largestStep)
    }
    let other = try rig(workshop, .off)
    while other.frame < player.frame { other.render(Self.frames) }
    let expected = other.takeOutput().audio
    #expect(output[2] == expected[2])
    #expect(output[3] == expected[3])
  }

  @Test func `is bypassed if its process is killed between two blocks`() throws {
    let workshop = try RigTestEnvironment()
    let player = try readyRig(workshop)
    let node = try #require(player.isolated.first)
    let lateCount = node.lateCount
    kill(node.worker.process, SIGKILL)
    let deadline = Deadline()
    while node.describeFault() == nil { try deadline.rest() }
    player.render(Self.frames)
    #expect(isTone(player.render(Self.frames), of: 1, before: player.frame))
    #expect(node.fault == .ended)
    #expect(node.describeFault() == .ended(.signalled(SIGKILL)))
    // No answer was waited for.
    #expect(node.lateCount == lateCount)
  }

  @Test func `sounds again after its process was stopped for a while`() throws {
    let workshop = try RigTestEnvironment()
    let player = try readyRig(workshop)
    let node = try #require(player.isolated.first)
    stopProcess(of: node)
    try render(player) { _ in node.lateCount > 0 }
    kill(node.worker.process, SIGCONT)
    guard node.fault == nil else { return }
    try render(player) { isTone($0, of: 0.5, before: player.frame) || node.fault != nil }
    let output = player.takeOutput().audio[0]
    let steps = zip(output.dropFirst(), output).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < Self.largestStep)
  }

  @Test func `does not use what a damaged process writes`() throws {
    let workshop = try RigTestEnvironment()
    let player = try readyRig(workshop)
    let node = try #require(player.isolated.first)
    // As if the worker had written them.
    let block = node.state.pointee.block
    block.pointee.sent_bytes = .max
    block.pointee.answered = 77
    block.pointee.owner = 12_345
    player.render(Self.frames)
    #expect(isTone(player.render(Self.frames), of: 1, before: player.frame))
    #expect(node.fault == .ended)
  }
}

// LV2RenderLockTests.swift: tests of restoring while another thread renders. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import Synchronization
import TestWaits
import Testing

@testable import LV2Host

/// Renders a node repeatedly on a separate thread, with a constant 1 at its input, and stores the
/// output.
private final class RenderingThread: @unchecked Sendable {
  // Only the thread uses the samples until `stop` has joined it.
  private let node: LV2Node
  private let isStopped = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)
  private var samples: [Float] = []
  let blockCount = Atomic<Int>(0)

  init(_ node: LV2Node) {
    self.node = node
    Thread { [self] in
      let player = Player(self.node)
      while !isStopped.load(ordering: .relaxed) {
        samples += player.play(64) { _, _ in 1 }[0]
        blockCount.add(1, ordering: .relaxed)
        usleep(1_000)
      }
      ended.signal()
    }.start()
    wait(forBlocks: 10)
  }

  func wait(forBlocks count: Int) {
    let goal = blockCount.load(ordering: .relaxed) + count
    let deadline = Deadline()
    while blockCount.load(ordering: .relaxed) < goal { deadline.restOrTrap(0.0005) }
  }

  func stop() -> [Float] {
    isStopped.store(true, ordering: .relaxed)
    ended.waitOrTrap()
    return samples
  }
}

@Suite(.serialized) struct `Restoring while rendering` {
  private let fixture: StateFixture

  init() throws { fixture = try StateFixture() }

  @Test func `a plugin does not run during a restore, and its output fades out and in`() throws {
    let given = try fixture.write("given", "key:level 0.75")
    let node = try fixture.node()
    try node.activate()
    let thread = RenderingThread(node)
    for _ in 0 ..< 3 { try node.restoreState(from: given) }
    thread.wait(forBlocks: 20)
    let samples = thread.stop()
    #expect(node.readout(0) == 0)
    #expect(node.readout(1) == 4)
    #expect(samples[0] == 0.5)
    #expect(samples.last == 0.75)
    #expect(samples.contains(0))
    let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
    // 5 ms are 240 frames.
    #expect(steps.max() ?? 1 < 0.75 / 200)
  }

  @Test func `a plugin with thread-safe restore keeps running`() throws {
    let node = try fixture.node(isSafe: true)
    try node.activate()
    node.setParameter(StateFixture.poke, to: 1)
    let player = Player(node)
    _ = player.play(64) { _, _ in 1 }
    _ = try node.saveState(to: fixture.path("kept"))
    node.setParameter(StateFixture.poke, to: 1)
    _ = player.play(64) { _, _ in 1 }
    let thread = RenderingThread(node)
    try node.restoreState(from: fixture.path("kept"))
    thread.wait(forBlocks: 5)
    let samples = thread.stop()
    #expect(node.readout(0) == 0)
    #expect(samples.first == 0.25)
    #expect(samples.last == 0.5)
    #expect(!samples.contains(0))
  }

  @Test func `a save does not stop a plugin`() throws {
    let node = try fixture.node()
    try node.activate()
    let thread = RenderingThread(node)
    for _ in 0 ..< 5 { #expect(try node.saveState(to: fixture.path("kept"))) }
    let samples = thread.stop()
    #expect(samples.allSatisfy { $0 == 0.5 })
    #expect(node.readout(0) == 0)
  }

  @Test func `a plugin that is no longer rendered can be restored`() throws {
    let given = try fixture.write("given", "key:level 0.75")
    let node = try fixture.node()
    try node.activate()
    let player = Player(node)
    _ = player.play(64) { _, _ in 1 }
    try node.restoreState(from: given)
    for _ in 0 ..< 10 { _ = player.play(64) { _, _ in 1 } }
    #expect(ShownFixture(node, player) == ShownFixture(restores: 2, files: 0, level: 0.75))
  }
}

@Suite struct LV2RenderLockTests {
  private let gate = UnsafeMutablePointer<LV2RenderLock>.allocate(capacity: 1)

  init() { gate.initialize(to: LV2RenderLock(outputs: 0 ..< 1, sampleRateHz: 48_000)) }

  /// Renders consecutive blocks of 2 ms each, until `isWanted` returns false.
  private func render(while isWanted: @escaping @Sendable () -> Bool) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    // Only this thread uses the render side.
    nonisolated(unsafe) let gate = gate
    Thread {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: 64)
      samples.initialize(repeating: 0, count: 64)
      let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
      rows.initialize(to: samples)
      while isWanted() {
        let isInside = gate.pointee.beginBlock(rows, 64)
        usleep(2_000)
        if isInside { gate.pointee.endBlock(rows, 64) }
      }
      rows.deallocate()
      samples.deallocate()
      ended.signal()
    }.start()
    return ended
  }

  @Test func `a waiting thread gets the lock if there is no time between blocks`() {
    let isStopped = Box(false)
    let ended = render { !isStopped.value.load(ordering: .relaxed) }
    usleep(20_000)
    for turn in 0 ..< 5 { #expect(gate.pointee.withExclusiveAccess { turn } == turn) }
    isStopped.value.store(true, ordering: .relaxed)
    ended.waitOrTrap()
    gate.deinitialize(count: 1)
    gate.deallocate()
  }
}

private final class Box: Sendable {
  let value: Atomic<Bool>

  init(_ value: Bool) { self.value = Atomic(value) }
}

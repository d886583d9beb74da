// StateTests.swift: states kept, also while a block is rendered. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import Synchronization
import TestWaits
import Testing

@testable import ModuleHost

@Suite struct StateTests {
  /// Set from another thread.
  private final class Flag: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  @Test func `a state is saved in a directory and restored from it`() throws {
    let directory =
      FileManager.default.temporaryDirectory.path + "/outboard-state-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let node = try instance(of: "stateful")
    _ = render(node, [[0]], frames: 1, blocks: [1])
    let bytes = try #require(node.save())
    #expect(try node.saveState(to: directory))
    let other = try instance(of: "stateful")
    #expect(other.save() != bytes)
    try other.restoreState(from: directory)
    #expect(other.save() == bytes)
  }

  @Test func `a module without state creates no directory`() throws {
    let directory =
      FileManager.default.temporaryDirectory.path + "/outboard-none-\(UUID().uuidString)"
    let node = try instance(of: "process_only")
    #expect(try !node.saveState(to: directory))
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func `a missing directory is named`() throws {
    let node = try instance(of: "stateful")
    let error = #expect(throws: ModuleError.self) { try node.restoreState(from: "/nowhere") }
    #expect(
      error?.description
        == "/nowhere/state.bin: cannot store the state of a module here: No such file or directory."
    )
  }

  @Test func `saving and rendering never overlap, and audio continues`() throws {
    // The fixture counts how often two of its functions run at the same time.
    let path = try Fixture.copy("stateful")
    let library = try ModuleLibrary(path: path)
    let node = try ModuleNode(
      library, manifest(), NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    try node.activate()
    let flag = Flag()
    // The test checks the node's rules about threads.
    nonisolated(unsafe) let rendered = node
    let renderer = Thread {
      while !flag.isOver.load(ordering: .relaxed) {
        _ = render(rendered, [[Float](repeating: 1, count: 640)], frames: 640, blocks: [64])
      }
      flag.isOver.store(false, ordering: .releasing)
    }
    renderer.start()
    for _ in 0 ..< 2_000 {
      let bytes = try #require(node.save())
      try node.restore(bytes)
    }
    flag.isOver.store(true, ordering: .relaxed)
    let deadline = Deadline()
    while flag.isOver.load(ordering: .acquiring) { try deadline.rest(0.001) }
    #expect(try variable("collisions", in: path, as: Int32.self) == 0)
    #expect(try variable("saves", in: path, as: Int32.self) >= 2_000)
  }

  @Test func `a block during a save fades out, and the next one in`() throws {
    let node = try instance(of: "stateful")
    let ones = [Float](repeating: 1, count: 256)
    var captured = render(node, [ones], frames: 256, blocks: [256])[0]
    let level = captured[255]
    captured = node.state.pointee.hold.withExclusiveAccess {
      render(node, [ones], frames: 256, blocks: [128])[0]
    }
    #expect(captured[0] < level && captured[0] > level * 0.95)
    for (one, next) in zip(captured, captured.dropFirst()) {
      #expect(next <= one && one - next < level * 0.02)
    }
    #expect(captured[ModuleRenderLock.fadeFrames...].allSatisfy { $0 == 0 })
    captured = render(node, [ones], frames: 256, blocks: [128])[0]
    #expect(captured[0] > 0 && captured[0] < level * 0.05)
    #expect(captured[ModuleRenderLock.fadeFrames...].allSatisfy { $0 == level })
  }

  @Test func `a save waits for the end of a block, after which most of a period is left`() throws {
    // Nobody renders but this test, which then decides what the saving thread can see.
    let lock = UnsafeMutablePointer<ModuleRenderLock>.allocate(capacity: 1)
    lock.initialize(to: ModuleRenderLock(outputCount: 1, longestBlock: .seconds(1_000)))
    defer {
      lock.deinitialize(count: 1)
      lock.deallocate()
    }
    let hasBegun = lock.pointee.beginBlock()
    #expect(hasBegun)
    lock.pointee.endBlock()
    let flag = Flag()
    nonisolated(unsafe) let shared = lock
    Thread { shared.pointee.withExclusiveAccess { flag.isOver.store(true, ordering: .releasing) } }
      .start()
    // A thread that did not wait would have entered by now, unless the machine is very busy.
    Thread.sleep(forTimeInterval: 0.05)
    let hasEntered = flag.isOver.load(ordering: .acquiring)
    #expect(!hasEntered)
    let deadline = Deadline()
    while !flag.isOver.load(ordering: .acquiring) {
      if lock.pointee.beginBlock() { lock.pointee.endBlock() }
      try deadline.rest(0.001)
    }
    // The access has ended when a block can begin again.
    while !lock.pointee.beginBlock() { try deadline.rest(0.001) }
  }
}

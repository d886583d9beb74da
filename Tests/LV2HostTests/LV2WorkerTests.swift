// LV2WorkerTests.swift: tests of LV2Worker.swift and clv2worker.c. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `Work on another thread` {
  private func worker(isOffline: Bool) throws -> (LV2Node, BundleDirectory) {
    let directory = try BundleDirectory(["worker"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:worker", inBundle: directory.bundle("worker"))
    let node = try LV2Node(
      plugin,
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: isOffline))
    try node.activate()
    return (node, directory)
  }

  @Test func `offline the work runs in the run that requests it`() throws {
    let (node, directory) = try worker(isOffline: true)
    let player = Player(node)
    for run in 0 ..< 5 {
      _ = player.play(64) { _, _ in 0 }
      // The run counted its output before its own responses came.
      #expect(node.readout(0) == Float(2 * run))
      #expect(node.readout(1) == Float(run))
    }
    #expect(node.readout(2) == 0)
    #expect(node.readout(3) == 0)
    withExtendedLifetime(directory) {}
  }

  @Test func `in real time the work runs on another thread, complete and in order`() throws {
    let (node, directory) = try worker(isOffline: false)
    let player = Player(node)
    var runs = 0
    // Waits until five hundred pieces of work and their responses are done.
    while node.readout(0) < 500 && runs < 100_000 {
      _ = player.play(64) { _, _ in 0 }
      runs += 1
      usleep(200)
    }
    #expect(node.readout(0) >= 500)
    #expect(node.readout(1) == Float(runs - 1))
    #expect(node.readout(2) == 0)
    #expect(node.readout(3) >= 500)
    withExtendedLifetime(directory) {}
  }

  @Test func `a reset drops queued work, and later work is done`() throws {
    let (node, directory) = try worker(isOffline: false)
    let player = Player(node)
    for _ in 0 ..< 20 {
      for _ in 0 ..< 100 { _ = player.play(64) { _, _ in 0 } }
      node.reset()
    }
    #expect(node.readout(2) == 0)
    node.deactivate()
    withExtendedLifetime(directory) {}
  }
}

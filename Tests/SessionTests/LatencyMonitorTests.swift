// LatencyMonitorTests.swift: tests of LatencyMonitor.swift. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import RigPlanning
@testable import Session

/// A node that reports a latency set by the test.
private final class VariableLatencyNode: Node {
  var latencyFrames: Int
  let audioInputCount = 0
  let audioOutputCount = 0
  let canRunInPlace = false
  var step: NodeStep { NodeStep(function: { _, _, _ in }, context: nowhere) }
  private let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  init(_ latencyFrames: Int) { self.latencyFrames = latencyFrames }

  deinit { nowhere.deallocate() }

  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
}

@Suite struct LatencyMonitorTests {
  private func watch(_ nodes: [VariableLatencyNode]) -> LatencyMonitor {
    LatencyMonitor([
      BuiltRig.BuiltNode(
        name: "pitch",
        plugin: PluginDescription(
          kind: PluginKind(rawValue: "lv2"), identifier: "urn:pitch", name: "Pitch"), nodes: nodes)
    ])
  }

  @Test func `a constant delay is not reported`() {
    var watch = watch([VariableLatencyNode(64)])
    #expect(watch.takeNotices() == [])
    #expect(watch.takeNotices() == [])
    #expect(watch.remarks() == [])
  }

  @Test func `a change is reported once, after it has settled, and so is the change back`() {
    let node = VariableLatencyNode(64)
    var watch = watch([node])
    node.latencyFrames = 100
    #expect(watch.takeNotices() == [])
    node.latencyFrames = 512
    #expect(watch.takeNotices() == [])
    #expect(
      watch.takeNotices().map { "\($0)" } == [
        "pitch changed its latency to 512 frames. Parallel paths were realigned."
      ])
    #expect(watch.takeNotices() == [])
    node.latencyFrames = 64
    _ = watch.takeNotices()
    #expect(
      watch.takeNotices().map { "\($0)" } == [
        "pitch changed its latency to 64 frames. Parallel paths were realigned."
      ])
  }

  @Test func `instances of one node are reported once`() {
    let nodes = [VariableLatencyNode(0), VariableLatencyNode(0)]
    var watch = watch(nodes)
    for node in nodes { node.latencyFrames = 1 }
    _ = watch.takeNotices()
    #expect(
      watch.takeNotices().map { "\($0)" } == [
        "pitch changed its latency to 1 frame. Parallel paths were realigned."
      ])
  }

  @Test func `a rendering reports the change at its end and how the output was aligned`() {
    let node = VariableLatencyNode(10)
    let watch = watch([node])
    node.latencyFrames = 20
    #expect(
      watch.remarks() == [
        "pitch changed its latency to 20 frames from 10. The output was aligned to the original"
          + " latency."
      ])
  }
}

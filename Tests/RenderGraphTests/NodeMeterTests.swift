// NodeMeterTests.swift: the load of nodes. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

@Suite struct NodeMeterTests {
  @Test func `mean, 99th percentile and maximum are reported once`() {
    let meter = NodeMeter()
    for block in 0 ..< 1_000 {
      meter.record(nanoseconds: block < 985 ? 1_000 : 50_000)
      meter.record(peak: 0.25)
    }
    meter.record(nanoseconds: 900_000)
    meter.record(peak: 0.5)
    let times = meter.take()
    #expect(times.blockCount == 1_001)
    #expect(abs(times.meanNanoseconds - (985e3 + 15 * 50e3 + 900e3) / 1_001) < 1)
    #expect(50_000 ... 60_000 ~= times.percentileNanoseconds)
    #expect(times.worstNanoseconds == 900_000)
    #expect(times.peak == 0.5)
    #expect(meter.take().blockCount == 0)
  }

  @Test(arguments: [0, 1, 3, 4, 7, 8, 1_023, 1_024, 123_456_789, UInt64.max])
  func `a duration is measured to a step of less than 30 %`(nanoseconds: UInt64) {
    let meter = NodeMeter()
    meter.record(nanoseconds: nanoseconds)
    let times = meter.take()
    // A percentile never exceeds the maximum.
    #expect(times.percentileNanoseconds <= Double(nanoseconds))
    if nanoseconds < 1 << 34 { #expect(times.percentileNanoseconds >= Double(nanoseconds) / 1.3) }
  }

  @Test func `nodes are measured while requested, through edits too`() throws {
    let (first, second) = (
      SumNode(inputs: 1, outputs: 1), SumNode(inputs: 1, outputs: 1, gain: 0.5)
    )
    func graph(_ nodes: [SumNode]) throws -> Graph {
      var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
      for node in nodes {
        let id = graph.add(node, named: "n")
        try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
        try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
      }
      return graph
    }
    let scene = try GraphTestBench(graph([first]), guardsNodes: true)
    scene.render(640) { _, _ in 1 }
    #expect(scene.editor.takeTimes().isEmpty)
    scene.editor.measuresNodes = true
    scene.render(640) { _, _ in 1 }
    var times = scene.editor.takeTimes()
    #expect(times.map(\.times.blockCount) == [10])
    #expect(times[0].node === first && times[0].times.peak == 1)
    #expect(times[0].times.meanNanoseconds > 0)
    try scene.editor.edit(to: graph([first, second]))
    let isSettled = scene.settle { _, _ in 1 }
    #expect(isSettled)
    _ = scene.editor.takeTimes()
    scene.render(640) { _, _ in 1 }
    times = scene.editor.takeTimes()
    #expect(times.map(\.times.blockCount) == [10, 10] && times[1].times.peak == 0.5)
    scene.editor.measuresNodes = false
    scene.render(640) { _, _ in 1 }
    #expect(scene.editor.takeTimes().isEmpty)
  }
}

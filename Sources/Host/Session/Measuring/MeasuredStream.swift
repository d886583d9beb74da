// MeasuredStream.swift: one measuring node on a driver, without a rig. SPDX-License-Identifier: MIT

package import AudioDriver
package import PluginModel
import RealtimeKit
package import RenderGraph
import Synchronization

/// A driver that runs a single node between the first channels of each direction.
package final class MeasuredStream<Measuring: Node> {
  /// The engine that pulls blocks.
  package let driver: any AudioDriver
  /// The graph.
  package let engine: Engine
  /// The measuring node.
  package let node: Measuring

  /// The parameters of the opened devices.
  package var stream: StreamDescription { driver.stream }

  /// Creates the node for an open driver; the stream is not started. [main]
  package init(
    _ driver: any AudioDriver, makeNode: (NodeConfiguration) throws -> Measuring
  ) throws {
    self.driver = driver
    let stream = driver.stream
    engine = Engine(
      Engine.Settings(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        // A fade would change the measurement.
        startsFadedOut: false))
    node = try makeNode(
      NodeConfiguration(
        sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames))
    var graph = Graph(
      inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount)
    let id = graph.add(node, named: "measure")
    for channel in 0 ..< min(node.audioInputCount, stream.inputChannelCount) {
      try graph.connect(.input(channel: channel), to: .node(id, channel: channel))
    }
    for channel in 0 ..< min(node.audioOutputCount, stream.outputChannelCount) {
      try graph.connect(.node(id, channel: channel), to: .output(channel: channel))
    }
    try node.activate()
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// The number of frames rendered so far. [any]
  package var renderedFrames: Int {
    unsafe Int(engine.pointer.pointee.frameCount.load(ordering: .relaxed))
  }

  /// The worst load of a block since the last call, as a fraction. [main]
  package func takeWorstLoad() -> Double { unsafe engine.pointer.pointee.load.take().maximum }

  /// Returns why the stream stopped; nil while it runs. [main]
  package var failure: String? {
    let status = driver.status
    return status.failure
      ?? status.devices.first { $0.state != .running }.map {
        $0.reason ?? "The device \($0.device) was disconnected."
      }
  }
}

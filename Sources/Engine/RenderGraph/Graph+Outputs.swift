// Graph+Outputs.swift: finds the outputs of a graph that each node reaches.
// SPDX-License-Identifier: MIT

extension Graph {
  /// Returns the outputs that each node reaches within a block. [main]
  ///
  /// - Parameter plan: has each node before the nodes that it feeds.
  /// - Returns: for each node one bit for each output; the last bit represents all outputs from the
  ///   64th on.
  func outputsByNode(_ plan: StepPlan) -> [UInt64] {
    var reachedOutputs = [UInt64](repeating: 0, count: vertices.count)
    var feeds = [[Int32]](repeating: [], count: vertices.count)
    for connection in connections {
      guard case .node(let source, _) = connection.source else { continue }
      switch connection.sink {
      case .node(let sink, _): feeds[source.index].append(Int32(sink.index))
      case .output(let channel): reachedOutputs[source.index] |= 1 << UInt64(min(channel, 63))
      }
    }
    for step in plan.steps.reversed() {
      guard case .node(let index) = step.operation else { continue }
      for sink in feeds[index] { reachedOutputs[index] |= reachedOutputs[Int(sink)] }
    }
    return reachedOutputs
  }
}

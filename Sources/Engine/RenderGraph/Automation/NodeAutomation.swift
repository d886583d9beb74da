// NodeAutomation.swift: the lanes and mapped parameters of one node. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel
import RealtimeKit
import Synchronization

/// Automates parameters of a node by musical time, and moves parameters between the messages of controls.
///
/// A graph stores it with its node. The render sequence then calls this step, which calls the
/// node's step in pieces that end where a value changes. A node without either has no extra cost.
package final class NodeAutomation {
  /// The lanes, at most one for each parameter.
  package let lanes: [AutomationLane]
  /// The parameters that controls move, without those that have a lane.
  package let moves: [ParameterMove]
  /// The node; the state points into its memory.
  private let node: any Node
  private let transport: Transport
  private let state: UnsafeMutablePointer<LaneStepState>

  /// Creates the automation of a node that follows `transport`, the musical time of its engine.
  ///
  /// Returns nil if there is nothing to move or the node has no parameters. [main]
  package init?(
    _ lanes: [AutomationLane], moving moved: [MovedParameter] = [], of node: any Node,
    transport: Transport
  ) {
    guard let parameters = node.parameterInput else { return nil }
    moves = parameters.hold == nil ? [] : moved.map(ParameterMove.init)
    guard !lanes.isEmpty || !moves.isEmpty else { return nil }
    (self.lanes, self.node, self.transport) = (lanes, node, transport)
    let states = UnsafeMutablePointer<LaneState>.allocate(capacity: max(1, lanes.count))
    for (index, lane) in lanes.enumerated() {
      (states + index).initialize(to: LaneState(lane, Self.points(of: lane)))
    }
    let moveStates = UnsafeMutablePointer<MoveState>.allocate(capacity: max(1, moves.count))
    for (index, move) in moves.enumerated() {
      (moveStates + index).initialize(to: MoveState(move))
    }
    let rowCount = node.audioInputCount + node.audioOutputCount
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(
      capacity: max(1, rowCount))
    rows.initialize(repeating: UnconnectedInput.row, count: max(1, rowCount))
    state = .allocate(capacity: 1)
    state.initialize(
      to: LaneStepState(
        step: crealtime_step(
          function: node.step.function, context: node.step.context, buffers: UnsafePointer(rows)),
        parameters: parameters, transport: transport.pointer, lanes: states,
        laneCount: lanes.count, moves: moveStates, moveCount: moves.count,
        rows: rows, rowCount: rowCount,
        unitFrames: Int64(max(1, parameters.unitFrameCount)), events: node.eventInput,
        arrivals: node.eventInput == nil ? nil : Self.queue(),
        sent: node.eventOutput, departures: node.eventOutput == nil ? nil : Self.queue()))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Returns the points of a lane for the render thread.
  ///
  /// The caller owns the memory. [main]
  static func points(of lane: AutomationLane) -> UnsafeMutablePointer<LanePoint> {
    let points = UnsafeMutablePointer<LanePoint>.allocate(capacity: lane.points.count)
    for (index, point) in lane.points.enumerated() {
      let before = Double(lane.points[max(0, index - 1)].value)
      let shape: LaneShape =
        switch point.shape {
        case .linear: .linear
        case .exponential: .exponential
        case .step: .step
        }
      (points + index).initialize(
        to: LanePoint(
          time: point.time, value: point.value, shape: shape,
          logarithm: shape == .exponential ? log(Double(point.value) / before) : 0))
    }
    return points
  }

  private static func queue() -> UnsafeMutablePointer<EventQueue> {
    let queue = UnsafeMutablePointer<EventQueue>.allocate(capacity: 1)
    queue.initialize(to: EventQueue())
    return queue
  }

  /// Holds a parameter at its next manual value, until its lane reaches a point. [main, while
  /// rendering too]
  ///
  /// - Returns: false if the parameter has no lane.
  package func overrideUntilNextPoint(_ parameter: Int) -> Bool {
    guard let index = lanes.firstIndex(where: { $0.parameter == parameter }) else { return false }
    state.pointee.lanes[index].overrideCount.add(1, ordering: .relaxed)
    return true
  }

  /// The step that a render sequence calls instead of the node's step. [main; the function itself:
  /// render]
  var step: NodeStep { NodeStep(function: laneStep, context: UnsafeMutableRawPointer(state)) }

  /// The function to which a render sequence passes the node's MIDI; nil if it takes none. [main; the function
  /// itself: render]
  var eventInput: NodeEventInput? {
    node.eventInput == nil
      ? nil : NodeEventInput(function: takeLaneEvent, context: UnsafeMutableRawPointer(state))
  }

  /// Uses the clock of the engine that renders the node, before it renders it the first time. [main]
  func setEngine(_ events: UnsafeMutablePointer<EngineEvents>) {
    if state.pointee.engine == nil { state.pointee.engine = events }
  }

  /// Sets the latency of the node's input, in frames. [main]
  func setInputLatency(frameCount: Int) {
    state.pointee.inputLatency.store(frameCount, ordering: .relaxed)
  }
}

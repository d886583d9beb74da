// GainAutomationNode.swift: a connection whose gain is automated. SPDX-License-Identifier: MIT

package import PluginModel
import RealtimeKit
import Synchronization

/// An automation lane whose value is a gain instead of a parameter.
package struct GainLane: Sendable, Equatable {
  /// The name that messages and commands use, as `echo.wet`.
  package var name: String
  /// The lane.
  ///
  /// Its values are linear gains, at least 0.
  package var lane: AutomationLane

  /// Creates a lane with a name.
  package init(name: String, lane: AutomationLane) {
    (self.name, self.lane) = (name, lane)
  }
}

/// One of the gains that are multiplied.
package struct GainFactor: Sendable, Equatable {
  /// The constant factor of the lanes, linear, 0 to 1 if `isRemainder`.
  package var constant: Float
  /// The lanes that are multiplied with `constant`.
  package var lanes: [GainLane]
  /// Whether the gain is 1 minus that product, instead of the product.
  package var isRemainder: Bool

  /// Creates a gain of `constant` times all lanes, or 1 minus that product if `isRemainder`.
  package init(constant: Float = 1, lanes: [GainLane], isRemainder: Bool = false) {
    (self.constant, self.lanes, self.isRemainder) = (constant, lanes, isRemainder)
  }

  /// The gain at musical time 0, linear.
  package var start: Float {
    let product = lanes.reduce(constant) { $0 * $1.lane.points[0].value }
    return isRemainder ? 1 - product : product
  }
}

/// A node that multiplies its input with automated gains.
///
/// The gain of a ramp is computed for every frame, linearly between the frames at which parameters
/// change; a jump is crossfaded from its frame on, as edits are. All values depend on the frame of
/// the stream alone, so the output is the same for every block length.
package final class GainAutomationNode: Node {
  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = true
  /// The gains that are multiplied.
  package let factors: [GainFactor]
  private let transport: Transport
  private let state: UnsafeMutablePointer<GainStepState>

  /// Creates a node that follows `transport`, the musical time of its engine. [main]
  package init(_ factors: [GainFactor], transport: Transport, sampleRateHz: Double) {
    (self.factors, self.transport) = (factors, transport)
    let curve = FadeCurve(sampleRateHz: sampleRateHz)
    let parts = UnsafeMutablePointer<GainFactorState>.allocate(capacity: max(1, factors.count))
    for (position, factor) in factors.enumerated() {
      let lanes = UnsafeMutablePointer<GainLaneState>.allocate(capacity: max(1, factor.lanes.count))
      for (index, lane) in factor.lanes.enumerated() {
        (lanes + index).initialize(
          to: GainLaneState(
            LaneState(lane.lane, NodeAutomation.points(of: lane.lane)),
            fadeFrames: curve.frameCount))
      }
      (parts + position).initialize(
        to: GainFactorState(
          constant: factor.constant, isRemainder: factor.isRemainder, lanes: lanes,
          laneCount: factor.lanes.count))
    }
    state = .allocate(capacity: 1)
    state.initialize(
      to: GainStepState(
        factors: parts, factorCount: factors.count, transport: transport.pointer, curve: curve,
        gains: .allocate(capacity: GainStepState.chunkFrames),
        factorGains: .allocate(capacity: GainStepState.chunkFrames)))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Holds a lane at a gain, linear, until the lane reaches its next point. [main, while rendering
  /// too]
  ///
  /// - Returns: false if no lane has this name.
  package func overrideUntilNextPoint(_ name: String, at gain: Float) -> Bool {
    var isFound = false
    for (position, factor) in factors.enumerated() {
      for (index, lane) in factor.lanes.enumerated() where lane.name == name {
        let factorLane = state.pointee.factors[position].lanes + index
        factorLane.pointee.overridden.store(gain.bitPattern, ordering: .relaxed)
        // Pairs with the acquiring load of the render thread: the gain is stored before the count
        // changes.
        factorLane.pointee.lane.overrideCount.add(1, ordering: .releasing)
        isFound = true
      }
    }
    return isFound
  }

  package var step: NodeStep {
    NodeStep(function: gainStep, context: UnsafeMutableRawPointer(state))
  }
  package func setInputLatency(frameCount: Int) {
    state.pointee.inputLatency.store(frameCount, ordering: .relaxed)
  }
  package func setParameter(_ index: Int, to value: Float) {}
  package func parameter(_ index: Int) -> Float { 0 }
  package func activate() {}
  package func deactivate() {}
  package func reset() {}
}

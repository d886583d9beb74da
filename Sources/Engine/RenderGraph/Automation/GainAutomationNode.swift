// GainAutomationNode.swift: a connection whose gain moves by itself. SPDX-License-Identifier: MIT

package import PluginModel
import Synchronization

/// A lane of something that is no parameter: how much of a sound goes on.
package struct GainLane: Sendable, Equatable {
  /// What a person calls it, as `echo.wet`.
  package var name: String
  /// Its values are linear gains, at least 0.
  package var lane: AutomationLane

  /// A lane by its name.
  package init(name: String, lane: AutomationLane) {
    (self.name, self.lane) = (name, lane)
  }
}

/// One of the gains that are multiplied.
package struct GainFactor: Sendable, Equatable {
  /// What all lanes are multiplied with, 0 to 1 where `isRest`.
  package var share: Float
  /// What moves.
  package var lanes: [GainLane]
  /// Whether it is what all that leaves of 1.
  package var isRest: Bool

  /// A share times lanes, or the rest of it.
  package init(share: Float = 1, lanes: [GainLane], isRest: Bool = false) {
    (self.share, self.lanes, self.isRest) = (share, lanes, isRest)
  }

  /// What it is before any time has passed, linear.
  package var start: Float {
    let product = lanes.reduce(share) { $0 * $1.lane.points[0].value }
    return isRest ? 1 - product : product
  }
}

/// A node that multiplies what comes in with gains that move as musical time goes on.
///
/// A value on its way moves in every frame, in straight lines between the frames at which parameters move; a
/// jump is faded from its frame on, as edits are. All is reckoned from the frame of the stream, so that it does
/// not depend on how blocks are cut.
package final class GainAutomationNode: Node {
  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = true
  /// What it multiplies with.
  package let factors: [GainFactor]
  private let transport: Transport
  private let state: UnsafeMutablePointer<GainStepState>

  /// A gain by the musical time that its engine advances. [main]
  package init(_ factors: [GainFactor], transport: Transport, sampleRateHz: Double) {
    (self.factors, self.transport) = (factors, transport)
    let curve = FadeCurve(sampleRateHz: sampleRateHz)
    let parts = UnsafeMutablePointer<GainFactorState>.allocate(capacity: max(1, factors.count))
    for (place, factor) in factors.enumerated() {
      let lanes = UnsafeMutablePointer<GainLaneState>.allocate(capacity: max(1, factor.lanes.count))
      for (index, lane) in factor.lanes.enumerated() {
        (lanes + index).initialize(
          to: GainLaneState(
            LaneState(lane.lane, NodeAutomation.points(of: lane.lane)),
            fadeFrames: curve.frameCount))
      }
      (parts + place).initialize(
        to: GainFactorState(
          share: factor.share, isRest: factor.isRest, lanes: lanes, laneCount: factor.lanes.count))
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

  /// Leaves a lane at a gain, linear, until it comes to a point; false where there is none of the name.
  /// [main, while rendering too]
  package func touch(_ name: String, at gain: Float) -> Bool {
    var isFound = false
    for (place, factor) in factors.enumerated() {
      for (index, lane) in factor.lanes.enumerated() where lane.name == name {
        let own = state.pointee.factors[place].lanes + index
        own.pointee.touched.store(gain.bitPattern, ordering: .relaxed)
        // Pairs with the acquiring load of who renders: the gain is there before it is asked for.
        own.pointee.lane.touchCount.add(1, ordering: .releasing)
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

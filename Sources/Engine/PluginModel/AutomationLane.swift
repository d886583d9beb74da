// AutomationLane.swift: a parameter automated in musical time. SPDX-License-Identifier: MIT

/// The values of one parameter over time.
///
/// Before its first point a lane has the value of that point, after its last point the value of the
/// last.
package struct AutomationLane: Sendable, Equatable {
  /// The unit of times, from the start of the transport.
  package enum TimeBase: String, Sendable, CaseIterable {
    /// Seconds.
    case seconds
    /// Beats of the meter.
    case beats
  }

  /// The shape of a ramp.
  package enum Shape: String, Sendable, CaseIterable {
    /// By equal steps.
    case linear
    /// By equal ratios; both ends are above 0, or both below.
    case exponential
    /// By a jump, when its time has come.
    case step
  }

  /// A value that is reached at a time.
  package struct Point: Sendable, Equatable {
    /// At least 0.
    package var time: Double
    /// Legal for the parameter, in its unit.
    package var value: Float
    /// The shape of the ramp from the previous point; ignored for the first point.
    package var shape: Shape

    /// Creates a point from a time, a value, and the shape of the ramp to it.
    package init(time: Double, value: Float, shape: Shape = .linear) {
      (self.time, self.value, self.shape) = (time, value, shape)
    }
  }

  /// The index in the plugin's `parameters`.
  package var parameter: Int
  /// The unit of times.
  package var clock: TimeBase
  /// At least one, in the order of time; no two of one time.
  package var points: [Point]
  /// The loop length, not before the last point; nil for no loop.
  package var loop: Double?
  /// Whether only whole numbers are legal.
  package var isWhole: Bool

  /// A lane with all its facts.
  package init(
    parameter: Int, clock: TimeBase = .seconds, points: [Point], loop: Double? = nil,
    isWhole: Bool = false
  ) {
    (self.parameter, self.clock, self.points) = (parameter, clock, points)
    (self.loop, self.isWhole) = (loop, isWhole)
  }
}

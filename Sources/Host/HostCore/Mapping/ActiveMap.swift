// ActiveMap.swift: a mapping in use. SPDX-License-Identifier: MIT

import PluginModel
import RigPlanning
import RigSchema

/// A mapping with the state of its control.
struct ActiveMap {
  /// The number of encoder steps that cover a continuous range.
  private static let defaultSteps = 100.0
  /// The largest range of whole numbers in which each step is one number.
  private static let maximumWholeSteps = 127.0

  /// The mapping.
  let plan: MapPlan
  /// How the control moves its target.
  var response: ControlResponse
  /// The value that the control set last; nil for none.
  var written: Float?
  /// When the control was moved last, in ns; 0 for never.
  var touched: UInt64 = 0
  /// The control that sent the last message, with its channel and device; nil for none.
  var sender: ControlSource?
  /// Whether the device must receive the value.
  var hasUnsentFeedback = false

  init(_ plan: MapPlan) {
    self.plan = plan
    response = ControlResponse(Self.mode(of: plan), stepSize: Self.stepSize(of: plan))
  }

  private static func mode(of plan: MapPlan) -> RigMap.Mode {
    if let mode = plan.map.mode { return mode }
    if case .note = plan.map.source.kind { return .momentary }
    return .jump
  }

  private static func stepSize(of plan: MapPlan) -> Double {
    if let count = plan.scale.stepCount { return 1 / Double(count - 1) }
    guard case .parameter(_, let parameter) = plan.target else {
      return plan.target.isSwitch ? 1 : 1 / defaultSteps
    }
    let span = abs(plan.scale.high - plan.scale.low)
    switch parameter.scale {
    case .toggle: return 1
    case .integer where 1 ... maximumWholeSteps ~= span: return 1 / span
    case .linear, .logarithmic, .integer:
      return parameter.isEnumeration && 1 ... maximumWholeSteps ~= span
        ? 1 / span : 1 / defaultSteps
    }
  }

  /// Returns the new value of the target, in its unit; nil to leave it.
  ///
  /// - Parameters:
  ///   - event: the movement.
  ///   - present: the present value.
  ///   - legal: the nearest legal value.
  /// - Returns: the value.
  mutating func value(
    after event: ControlEvent, present: Float, legal: (Double) -> Float
  ) -> Float? {
    guard
      let position = response.respond(
        to: event.value, present: plan.scale.position(of: Double(present)),
        isOwn: written == present)
    else { return nil }
    let value = legal(plan.scale.value(at: position))
    written = value
    return value
  }
}

// ControlResponse.swift: how a control moves its target. SPDX-License-Identifier: MIT

import RigSchema

/// The state of a control for one mapping.
struct ControlResponse {
  /// How the control changes its target.
  let mode: RigMap.Mode
  /// The way of one step of an encoder, as a part of the range.
  let stepSize: Double
  /// The last position of the control; nil before its first message.
  private var last: Double?
  /// The position that was set last, which a step of an encoder continues exactly.
  private var exact = 0.0
  /// Whether the control has taken the value over.
  private var isHolding = false

  init(_ mode: RigMap.Mode, stepSize: Double) { (self.mode, self.stepSize) = (mode, stepSize) }

  /// Returns the new position of the target, 0 to 1; nil to leave it.
  ///
  /// - Parameters:
  ///   - value: what the control did.
  ///   - present: the position of the target's present value.
  ///   - isOwn: whether this control set the present value; otherwise take-over begins again.
  /// - Returns: the position.
  mutating func respond(to value: ControlEvent.Value, present: Double, isOwn: Bool) -> Double? {
    if !isOwn { isHolding = false }
    let base = isOwn ? exact : present
    let next = position(after: value, base, present)
    if let next { exact = next }
    return next
  }

  private mutating func position(
    after value: ControlEvent.Value, _ base: Double, _ present: Double
  ) -> Double? {
    switch mode {
    case .toggle: return isPress(value) ? (present >= 0.5 ? 0 : 1) : nil
    case .momentary:
      switch value {
      case .key(let isPressed): return isPressed ? 1 : 0
      case .position(let position, _): return position >= 0.5 ? 1 : 0
      case .step(let count): return count > 0 ? 1 : 0
      case .trigger: return 1
      }
    case .relative(let encoding):
      guard case .position(let position, let raw) = value else { break }
      if let raw { return moved(base, by: encoding.steps(raw)) }
      // A control without an encoding moves by its way.
      defer { last = position }
      return last.map { min(max(base + position - $0, 0), 1) }
    case .jump, .pickup, .scale: break
    }
    switch value {
    case .step(let count): return moved(base, by: count)
    case .key(let isPressed): return isPressed ? 1 : 0
    case .trigger: return 1
    case .position(let position, _):
      defer { last = position }
      return absolute(position, base, present)
    }
  }

  private func moved(_ base: Double, by count: Int) -> Double {
    min(max(base + Double(count) * stepSize, 0), 1)
  }

  private mutating func absolute(_ position: Double, _ base: Double, _ present: Double) -> Double? {
    switch mode {
    case .pickup:
      if !isHolding {
        // Crossing counts, not nearness: a fast movement skips any window.
        let previous = last ?? position
        isHolding = (previous - present) * (position - present) <= 0
      }
      return isHolding ? position : nil
    case .scale:
      guard let last, position != last else { return nil }
      let fraction =
        position > last ? (1 - base) / (1 - last) : base / last
      return min(max(base + (position - last) * fraction, 0), 1)
    default: return position
    }
  }

  /// Whether a button is pressed now; a button that sends no release repeats the same value.
  mutating func isPress(_ value: ControlEvent.Value) -> Bool {
    switch value {
    case .key(let isPressed): return isPressed
    case .trigger: return true
    case .step(let count): return count > 0
    case .position(let position, _):
      defer { last = position }
      return position >= 0.5 && ((last ?? 0) < 0.5 || last == position)
    }
  }
}

extension RigMap.Encoding {
  /// Returns the steps in a value of 7 bits.
  func steps(_ raw: Int) -> Int {
    switch self {
    case .twos: raw < 64 ? raw : raw - 128
    case .offset: raw - 64
    case .sign: raw & 64 == 0 ? raw : -(raw & 63)
    }
  }
}

// Smoother.swift: parameter smoothing. SPDX-License-Identifier: MIT

import ModuleABI

/// A value that moves exponentially towards its target, once per frame.
///
/// The time constant is the time in which 63 % of a jump is covered. If the rest is inaudible (below a
/// millionth of the jump's scale), the value snaps to the target. A smoother at rest costs one comparison
/// and causes no denormals.
public struct Smoother {
  /// The value at the last frame.
  public private(set) var value: Float
  private var target: Float
  // Double precision: a float would lose the last steps of a slow ramp and never reach the target.
  private var exact: Double
  private let coefficient: Double

  /// - Parameters:
  ///   - value: the initial value and target.
  ///   - timeConstantSeconds: above 0.
  ///   - sampleRateHz: above 0.
  @inline(__always)
  public init(_ value: Float, timeConstantSeconds: Float, sampleRateHz: Float) {
    self.value = value
    target = value
    exact = Double(value)
    coefficient = -expm1(-1 / (Double(timeConstantSeconds) * Double(sampleRateHz)))
  }

  /// Whether the value has not reached the target.
  public var isMoving: Bool { @_noLocks @inline(__always) get { value != target } }

  /// Sets the target from the next frame on.
  @_noLocks @inline(__always)
  public mutating func move(to newTarget: Float) { target = newTarget }

  /// Jumps to a value.
  @_noLocks @inline(__always)
  public mutating func jump(to newTarget: Float) {
    target = newTarget
    value = newTarget
    exact = Double(newTarget)
  }

  /// Jumps to the target.
  @_noLocks @inline(__always)
  public mutating func finish() { jump(to: target) }

  /// Advances by one frame and returns the new value.
  @_noLocks @inline(__always)
  public mutating func next() -> Float {
    guard value != target else { return value }
    let distance = Double(target) - exact
    let isNear = abs(distance) <= 1e-6 * Double(max(1, abs(target)))
    exact += distance * coefficient
    value = isNear ? target : Float(exact)
    if value == target { exact = Double(target) }
    return value
  }

  /// Advances by 1 to 4 frames and returns their values; the remaining lanes repeat the last.
  @_noLocks @inline(__always)
  public mutating func next(_ count: Int) -> SIMD4<Float> {
    guard value != target else { return SIMD4(repeating: value) }
    let first = next()
    let second = count > 1 ? next() : first
    let third = count > 2 ? next() : second
    return SIMD4(first, second, third, count > 3 ? next() : third)
  }
}

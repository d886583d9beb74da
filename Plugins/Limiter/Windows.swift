// Windows.swift: the minimum and the sum of a sliding window. SPDX-License-Identifier: MIT

/// The least power of two that is not below `count`.
func powerOfTwo(atLeast count: UInt32) -> UInt32 {
  var size: UInt32 = 1
  while size < count { size *= 2 }
  return size
}

/// The smallest of the last `window` values; values before the first one count as 1.
///
/// An ascending queue of values that may still become the minimum: a new value removes the larger ones, which
/// it outlives. D. Lemire, "Streaming Maximum-Minimum Filter Using No More than Three Comparisons per
/// Element", 2006. Each value is removed once, so a block of n frames costs at most n plus the window.
struct SlidingMinimum {
  private struct Entry {
    var value = 1.0
    var frame: UInt32 = 0
  }

  private let window: UInt32
  private let mask: UInt32
  private let queue: UnsafeMutablePointer<Entry>
  private var head: UInt32 = 0
  private var tail: UInt32 = 0

  init(window: UInt32) {
    self.window = window
    mask = powerOfTwo(atLeast: window + 1) - 1
    queue = .allocate(capacity: Int(mask) + 1)
    queue.initialize(repeating: Entry(), count: Int(mask) + 1)
  }

  func deallocate() { queue.deallocate() }

  @_noLocks
  mutating func reset() {
    head = 0
    tail = 0
  }

  /// - Parameters:
  ///   - value: the next one.
  ///   - frame: one more than at the last call; may wrap around.
  /// - Returns: the least of the window that ends with it.
  @_noLocks @inline(__always)
  mutating func take(_ value: Double, at frame: UInt32) -> Double {
    while head != tail, queue[Int((tail &- 1) & mask)].value >= value { tail &-= 1 }
    queue[Int(tail & mask)] = Entry(value: value, frame: frame)
    tail &+= 1
    if frame &- queue[Int(head & mask)].frame >= window { head &+= 1 }
    return queue[Int(head & mask)].value
  }
}

/// The sum of the last `window` integers, which stays exact.
struct MovingSum {
  let window: UInt32
  private let values: UnsafeMutablePointer<Int64>
  private var sum: Int64 = 0
  private var position = 0

  init(window: UInt32) {
    self.window = window
    values = .allocate(capacity: Int(window))
    values.initialize(repeating: 0, count: Int(window))
  }

  func deallocate() { values.deallocate() }

  /// Sets the state that a constant input of `value` leads to.
  @_noLocks
  mutating func reset(to value: Int64) {
    values.update(repeating: value, count: Int(window))
    sum = value * Int64(window)
    position = 0
  }

  @_noLocks @inline(__always)
  mutating func take(_ value: Int64) -> Int64 {
    sum &+= value &- values[position]
    values[position] = value
    position = position + 1 == Int(window) ? 0 : position + 1
    return sum
  }
}

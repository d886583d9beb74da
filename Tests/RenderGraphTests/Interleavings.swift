// Interleavings.swift: all interleavings of the steps of several threads. SPDX-License-Identifier: MIT

/// An algorithm divided into steps.
///
/// Each step is one read or one write of shared memory.
protocol SteppedModel: Hashable {
  /// The number of threads.
  var threadCount: Int { get }
  /// Whether all threads have finished.
  var isOver: Bool { get }
  /// Returns the states that a thread's next step can lead to; none if it sleeps, waits or has ended.
  ///
  /// - Throws: `InvariantViolation` if the step breaks a rule.
  func next(_ thread: Int) throws -> [Self]
}

/// A violated rule.
struct InvariantViolation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Visits every reachable state, and returns their number.
///
/// - Throws: `InvariantViolation` if a rule is broken, or if all threads wait for each other.
func exploreAll<Model: SteppedModel>(_ start: Model) throws -> Int {
  var known: Set<Model> = [start]
  var open = [start]
  while let state = open.popLast() {
    var isStuck = true
    for thread in 0 ..< state.threadCount {
      for next in try state.next(thread) {
        isStuck = false
        if known.insert(next).inserted { open.append(next) }
      }
    }
    if isStuck, !state.isOver { throw InvariantViolation("all wait for each other: \(state)") }
  }
  return known.count
}

// Interleavings.swift: every order of steps of several threads. SPDX-License-Identifier: MIT

/// An algorithm taken apart into steps of which each is one look at shared memory, or one change of it.
protocol SteppedModel: Hashable {
  /// How many threads there are.
  var threadCount: Int { get }
  /// Whether all is done.
  var isOver: Bool { get }
  /// The states that a thread's next step can lead to; none where it sleeps, waits or has ended.
  ///
  /// - Throws: `InvariantViolation` if the step breaks a rule.
  func next(_ thread: Int) throws -> [Self]
}

/// A rule that was broken.
struct InvariantViolation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Goes through every state that can be reached; how many there are.
///
/// - Throws: `InvariantViolation` where a rule is broken, or where all threads wait for each other.
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

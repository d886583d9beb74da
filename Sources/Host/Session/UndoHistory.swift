// UndoHistory.swift: the changes of a session that can be undone. SPDX-License-Identifier: MIT

/// A parameter value that a user or a scene has changed.
package struct ValueChange: Sendable, Equatable {
  /// The name of the node.
  package var node: String
  /// The symbol of the parameter.
  package var symbol: String
  /// The value before, in the parameter's unit.
  package var old: Float
  /// The value after.
  package var new: Float

  /// Creates a change of a parameter.
  package init(node: String, symbol: String, old: Float, new: Float) {
    (self.node, self.symbol, self.old, self.new) = (node, symbol, old, new)
  }
}

/// A change that can be undone.
struct UndoStep {
  /// The rig before it, or after it if it was undone; nil if only values changed.
  var rig: EarlierRig?
  /// The parameters that changed.
  var values: [ValueChange] = []
  /// When it was made or extended.
  var instant = ContinuousClock.now

  /// Whether both change the same parameters and nothing else.
  func hasSameTargets(as other: UndoStep) -> Bool {
    rig == nil && other.rig == nil
      && values.map { [$0.node, $0.symbol] } == other.values.map { [$0.node, $0.symbol] }
  }
}

/// The undo and redo history.
struct UndoHistory {
  /// A limit, to bound memory in long sessions.
  private static let longest = 200
  /// Changes of the same parameters that follow each other within this time are one step, such as the turn of a knob.
  static let mergeTime = Duration.seconds(1)
  /// The changes that can be undone, the last one at the end.
  private(set) var past: [UndoStep] = []
  /// The changes that were undone, the last one at the end.
  private(set) var future: [UndoStep] = []
  /// The number of changes of the rig, undone and repeated ones included.
  private(set) var number = 0
  /// The number of all changes, those of values included.
  private(set) var stepNumber = 0

  /// The last change; nil if there is none.
  var previous: UndoStep? { past.last }
  /// The change that was undone last; nil if there is none.
  var following: UndoStep? { future.last }

  /// A history with changes that can be undone and repeated, the last ones at the end.
  init(past: [UndoStep] = [], future: [UndoStep] = []) {
    (self.past, self.future) = (past, future)
  }

  /// Adds a change.
  mutating func record(_ step: UndoStep) {
    future = []
    if step.rig != nil { number += 1 }
    stepNumber += 1
    if let last = past.last, step.hasSameTargets(as: last),
      step.instant - last.instant < Self.mergeTime
    {
      for index in step.values.indices {
        past[past.count - 1].values[index].new = step.values[index].new
      }
      past[past.count - 1].instant = step.instant
      return
    }
    past.append(step)
    past.removeFirst(max(0, past.count - Self.longest))
  }

  /// Makes one step of all that were recorded since `stepNumber` had this value.
  mutating func merge(since number: Int) {
    let count = min(stepNumber - number, past.count)
    guard count > 1 else { return }
    let steps = past.suffix(count)
    var whole = steps.first { $0.rig != nil } ?? steps[steps.startIndex]
    whole.values = steps.flatMap(\.values)
    whole.instant = steps.last?.instant ?? whole.instant
    past.removeLast(count)
    past.append(whole)
  }

  /// Moves back by one change; `step` leads forward again.
  mutating func recordUndo(_ step: UndoStep) {
    count(step)
    past.removeLast()
    future.append(step)
  }

  /// Moves forward by one change; `step` leads back again.
  mutating func recordRedo(_ step: UndoStep) {
    count(step)
    future.removeLast()
    past.append(step)
  }

  private mutating func count(_ step: UndoStep) {
    if step.rig != nil { number += 1 }
    stepNumber += 1
  }
}

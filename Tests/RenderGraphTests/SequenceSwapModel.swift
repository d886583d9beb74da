// SequenceSwapModel.swift: the steps by which render sequences are exchanged and freed. SPDX-License-Identifier: MIT

/// A main thread that installs render sequences one after the other and frees returned ones, and a thread
/// that renders the current one: as in `Engine.install`, `Engine.collectRetired` and
/// `swapSequence`.
struct SequenceSwapModel: SteppedModel {
  enum MainPlace: UInt8 { case install, drop, collect, free, ended }
  enum RenderPlace: UInt8 { case pollNext, pollRetired, exchange, change, retire, run, rendered }

  let programCount: UInt8
  let blockCount: UInt8
  var main = MainPlace.install
  var render = RenderPlace.pollNext
  var installed: UInt8 = 0
  var held: UInt8 = 0
  var overtaken: UInt8 = 0
  var blocks: UInt8 = 0
  var next: UInt8 = 0
  var retired: UInt8 = 0
  var current: UInt8 = 0
  var old: UInt8 = 0
  var taken: UInt8 = 0
  var freed: Set<UInt8> = []

  init(programs: UInt8, blocks: UInt8) {
    (programCount, blockCount) = (programs, blocks)
  }

  var threadCount: Int { 2 }
  var isOver: Bool { main == .ended && render == .rendered }

  func next(_ thread: Int) throws -> [SequenceSwapModel] {
    var state = self
    if thread == 0 {
      guard main != .ended else { return [] }
      try state.stepMain()
      guard main == .collect, installed < programCount else { return [state] }
      // It may or may not collect before the next installation.
      var early = self
      early.main = .install
      return [state, early]
    }
    guard render != .rendered else { return [] }
    try state.stepRender()
    return [state]
  }

  private mutating func stepMain() throws {
    switch main {
    case .install:
      installed += 1
      (overtaken, next) = (next, installed)
      main = overtaken > 0 ? .drop : .collect
    case .drop:
      try free(overtaken)
      main = .collect
    case .collect:
      (held, retired) = (retired, 0)
      if held > 0 {
        main = .free
      } else if installed < programCount {
        main = .install
      } else if render == .rendered {
        main = .ended
      }
    default:
      try free(held)
      main = .collect
    }
  }

  private mutating func free(_ program: UInt8) throws {
    guard freed.insert(program).inserted else {
      throw InvariantViolation("a program is freed twice")
    }
    guard program != current else {
      throw InvariantViolation("a program is freed that is rendered")
    }
  }

  private mutating func stepRender() throws {
    switch render {
    case .pollNext: render = next > 0 ? .pollRetired : .run
    case .pollRetired: render = retired == 0 ? .exchange : .run
    case .exchange:
      (taken, next) = (next, 0)
      render = taken > 0 ? .change : .run
    case .change:
      (old, current) = (current, taken)
      render = .retire
    case .retire:
      retired = old
      render = .run
    default:
      guard current == 0 || !freed.contains(current) else {
        throw InvariantViolation("a program is rendered that was freed")
      }
      blocks += 1
      render = blocks < blockCount ? .pollNext : .rendered
    }
  }
}

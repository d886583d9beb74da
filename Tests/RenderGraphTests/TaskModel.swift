// TaskModel.swift: a model of TaskQueue and RenderThreadPool, with one step per access to shared memory.
// SPDX-License-Identifier: MIT

/// An owner that renders blocks with workers, and then ends them.
///
/// Each block has a separate render sequence, which is freed when the owner has finished it. Memory
/// is sequentially consistent here; the thread sanitizer checks the memory orders of the code.
struct TaskModel: SteppedModel {
  /// The position of a thread: its next step.
  enum Place: UInt8 {
    case begin, beginUnfinished, beginMayWake, beginEntry, beginBack, beginFront
    case callSleepers, callMayWake, callBell, callWake
    case takeFront, takeEntry, takeExchange
    case run, countDown, putBack, putEntry, putExchange, putOn, finish
    case wakeOwner, callOwnerExchange, callOwnerWake
    case ownerPoll, ownerIdle, ownerSignal, ownerPollAgain, ownerFront, ownerEntry, ownerWait
    case ownerSleep, ownerWoken, ownerFree, stop, stopBell, stopWake, join
    case workerPoll, workerIdle, workerBell, workerSignal, workerFront, workerEntry, workerStop
    case workerWait, workerSleep, workerWoken, ended
  }

  /// The number of a block with an index, or a task plus 1.
  struct Tagged: Hashable {
    var block: UInt8 = 0
    var number: UInt8 = 0
  }

  struct Thread: Hashable {
    var place: Place
    var task: UInt8 = 0
    var next: Int8 = -1
    var left: UInt8 = 0
    var index: UInt8 = 0
    var seen = Tagged()
    var entry = Tagged()
    var seenGeneration: UInt8 = 0
    var wasLast = false
    var program: UInt8 = 0
  }

  /// The parts that are the same in all states.
  final class Shape: Hashable {
    /// The successors of a render sequence's tasks.
    let successors: [[UInt8]]
    let predecessorCounts: [UInt8]
    let blockCount: UInt8
    /// Two errors, to check that the exploration finds them.
    let looksAgain: Bool
    let miscounts: Bool

    init(_ successors: [[UInt8]], blocks: UInt8, looksAgain: Bool, miscounts: Bool) {
      self.successors = successors
      var counts = [UInt8](repeating: 0, count: successors.count)
      for task in successors.joined() { counts[Int(task)] += 1 }
      predecessorCounts = counts
      blockCount = blocks
      (self.looksAgain, self.miscounts) = (looksAgain, miscounts)
    }

    static func == (one: Shape, other: Shape) -> Bool { one === other }
    func hash(into hasher: inout Hasher) {}
  }

  let shape: Shape
  var threads: [Thread]
  var entries: [Tagged]
  var front = Tagged()
  var back: UInt8 = 0
  var block: UInt8 = 0
  var unfinished: UInt8 = 0
  var waiting: [UInt8]
  var ran: [Bool]
  /// The render sequence in use; 0 after it is freed.
  var program: UInt8 = 0
  var canWake = false
  var wakes: UInt8 = 0
  var bell: UInt8 = 0
  var sleepingWorkers: UInt8 = 0
  var ownerSleeps = false
  var isStopping = false
  /// Creates a group of workers that renders tasks with these dependencies a number of times.
  init(
    _ successors: [[UInt8]], workers: Int, blocks: UInt8, looksAgain: Bool = true,
    miscounts: Bool = false
  ) {
    shape = Shape(successors, blocks: blocks, looksAgain: looksAgain, miscounts: miscounts)
    threads = [Thread(place: .begin)] + Array(repeating: Thread(place: .workerPoll), count: workers)
    entries = Array(repeating: Tagged(), count: successors.count)
    waiting = shape.predecessorCounts
    ran = Array(repeating: false, count: successors.count)
  }

  var threadCount: Int { threads.count }
  var isOver: Bool { threads.allSatisfy { $0.place == .ended } }
  var successors: [[UInt8]] { shape.successors }
  var roots: [UInt8] {
    successors.indices.filter { shape.predecessorCounts[$0] == 0 }.map { UInt8($0) }
  }

  func isReady(_ entry: Tagged, _ front: Tagged) -> Bool {
    entry.block == front.block && entry.number != 0
  }

  func next(_ thread: Int) throws -> [TaskModel] {
    switch threads[thread].place {
    case .ended, .ownerSleep, .workerSleep: return []
    case .join:
      guard threads.dropFirst().allSatisfy({ $0.place == .ended }) else { return [] }
      return [moved(thread, to: .ended)]
    // A thread without a task tries again, or has tried long enough.
    case .ownerIdle: return [moved(thread, to: .ownerPoll), moved(thread, to: .ownerSignal)]
    case .workerIdle: return [moved(thread, to: .workerPoll), moved(thread, to: .workerBell)]
    default:
      var state = self
      var own = threads[thread]
      try state.step(&own, isOwner: thread == 0)
      state.threads[thread] = own
      state.sortWorkers()
      return [state]
    }
  }

  private func moved(_ thread: Int, to place: Place) -> TaskModel {
    var state = self
    state.threads[thread].place = place
    state.sortWorkers()
    return state
  }

  /// Workers are equal: states that differ only in their order are explored once.
  private mutating func sortWorkers() {
    guard threads.count > 2 else { return }
    threads[1...].sort { $0.place.rawValue < $1.place.rawValue }
  }

  private mutating func step(_ own: inout Thread, isOwner: Bool) throws {
    switch own.place {
    case .begin, .beginUnfinished, .beginMayWake, .beginEntry, .beginBack, .beginFront:
      stepBeginning(&own)
    case .callSleepers, .callMayWake, .callBell, .callWake, .wakeOwner, .callOwnerExchange,
      .callOwnerWake:
      try stepCalling(&own, isOwner: isOwner)
    case .takeFront, .takeEntry, .takeExchange: try stepTaking(&own, isOwner: isOwner)
    case .run, .countDown, .putBack, .putEntry, .putExchange, .putOn, .finish:
      try stepWorking(&own)
    case .workerPoll, .workerIdle, .workerBell, .workerSignal, .workerFront, .workerEntry,
      .workerStop, .workerWait, .workerSleep, .workerWoken:
      stepWaiting(&own)
    default: try stepOwning(&own)
    }
  }

  /// Continues a thread that has woken another one, or found none to wake.
  mutating func goOn(_ own: inout Thread, isOwner: Bool) {
    if own.next >= 0 {
      own.task = UInt8(own.next)
      own.place = .run
    } else {
      own.place = isOwner ? .ownerPoll : .workerPoll
    }
  }
}

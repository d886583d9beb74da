// ScanHelperPool.swift: several children that share the reading of many units. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// What reading a unit gave.
struct ScanResult {
  /// The plugins found before it ended.
  var findings: [ScannedPlugin] = []
  /// What was wrong with the unit, as one sentence; empty if nothing was.
  var fault = ""
}

/// A unit to be read, or a part of one.
struct ScanTask {
  let source: String
  let path: String
  var part = BundleSlice.whole
  /// The larger ones first.
  let byteCount: UInt64
}

/// Hands units to children one at a time, and outlives every one of them.
///
/// A child that ends, or is silent for too long, costs the unit that it was reading; another takes
/// its place and goes on with the next. What one unit leaves behind (a thread, a handler) may end the
/// child while it reads another, so that one is read once more by a child of its own. [main]
struct ScanHelperPool {
  let command: ChildCommand
  let limits: ChildLimits

  /// Reads all units; the results are in the order of `tasks`.
  func read(_ tasks: [ScanTask]) -> [ScanResult] {
    var results = [ScanResult](repeating: ScanResult(), count: tasks.count)
    // The largest first, or one child would still be at it when the other is long done.
    var waiting = tasks.indices.sorted { tasks[$0].byteCount < tasks[$1].byteCount }
    let seats = HelperSlots(count: min(tasks.count, childCount))
    while true {
      for seat in 0 ..< seats.count where !waiting.isEmpty && seats.isFree(seat) {
        let next = waiting.removeLast()
        if let end = seats.start(seat, next, tasks[next], self) {
          results[next].fault = Self.sentence(tasks[next].path, end)
        }
      }
      guard seats.isBusy else {
        if waiting.isEmpty { return results }
        continue
      }
      seats.wait(limits.scanSeconds) { index, event in
        switch event {
        case .report(.found(let finding)): results[index].findings.append(finding)
        case .report(.done(let sentence)): results[index].fault = sentence
        case .report(.stage), .report(.traits), .report(.remark), .report(.sign): break
        case .ended(let end, isFresh: true):
          results[index].fault = Self.sentence(tasks[index].path, end)
        case .ended(_, isFresh: false):
          results[index] = ScanResult()
          waiting.append(index)
        }
      }
    }
  }

  /// Units of more bytes than this are shared by all children, where their source allows it: one of
  /// them may take as long as all others together.
  static let sharedByteCount: UInt64 = 4 << 20

  /// How many children read.
  var childCount: Int {
    max(1, limits.scanChildCount ?? min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  private static func sentence(_ unit: String, _ end: ChildExit) -> String {
    "Skipped \(unit): the scan \(end.words)."
  }
}

/// The children of a crew, each at its own seat.
private final class HelperSlots {
  enum Event {
    case report(ChildResponse)
    /// The child is gone; it was fresh if it had read nothing else before.
    case ended(ChildExit, isFresh: Bool)
  }

  private struct HelperSlot: ~Copyable {
    var child: ChildProcess?
    /// The position of the task that is being read.
    var task: Int?
    /// How many tasks its child has done.
    var doneCount = 0
    /// When the child is given up, by the monotonic clock.
    var deadline: UInt64 = 0
  }

  /// How often a child is looked at, in seconds, whose time has run out on the clock alone.
  private static let lookSeconds = 0.25

  let count: Int
  private let seats: UnsafeMutablePointer<HelperSlot>

  init(count: Int) {
    self.count = count
    seats = .allocate(capacity: max(1, count))
    for index in 0 ..< count { (seats + index).initialize(to: HelperSlot()) }
  }

  deinit {
    seats.deinitialize(count: count)
    seats.deallocate()
  }

  var isBusy: Bool { (0 ..< count).contains { seats[$0].task != nil } }

  func isFree(_ seat: Int) -> Bool { seats[seat].task == nil }

  /// Gives a seat's child a task, starting the child if need be; the reason if that fails.
  func start(_ seat: Int, _ index: Int, _ task: ScanTask, _ crew: ScanHelperPool) -> ChildExit? {
    if seats[seat].child == nil {
      do throws(ChildProcess.SpawnError) {
        seats[seat].child = try ChildProcess(crew.command, memoryBytes: crew.limits.memoryBytes)
        seats[seat].doneCount = 0
      } catch {
        return .notStarted(error.code)
      }
    }
    // A child that is gone shows itself at the next `wait`.
    _ = seats[seat].child?.socket.send(
      ChildRequest.scan(source: task.source, unit: task.path, part: task.part).record)
    seats[seat].task = index
    seats[seat].child?.heard()
    seats[seat].deadline = Clock.now + Clock.nanoseconds(crew.limits.scanSeconds)
    return nil
  }

  /// Waits for the next thing to happen, and tells of it, with the task that it belongs to.
  func wait(_ seconds: Double, _ tell: (Int, Event) -> Void) {
    let busy = (0 ..< count).filter { seats[$0].task != nil }
    var polls = busy.map { seat in
      pollfd(fd: seats[seat].child?.socket.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    }
    let deadline = busy.map { seats[$0].deadline }.min() ?? Clock.now
    poll(&polls, nfds_t(polls.count), Clock.millisecondsUntil(deadline))
    for (seat, poll) in zip(busy, polls) {
      guard let task = seats[seat].task else { continue }
      if poll.revents != 0 {
        seats[seat].deadline = Clock.now + Clock.nanoseconds(seconds)
        seats[seat].child?.heard()
        listen(seat, task, tell)
      } else if Clock.now >= seats[seat].deadline {
        if seats[seat].child?.isHanging(after: seconds) ?? true {
          leave(seat, task, .silent(seconds: seconds), tell)
        } else {
          seats[seat].deadline = Clock.now + Clock.nanoseconds(min(seconds, Self.lookSeconds))
        }
      }
    }
  }

  private func listen(_ seat: Int, _ task: Int, _ tell: (Int, Event) -> Void) {
    guard seats[seat].child?.socket.receive() ?? false else {
      let end = seats[seat].child?.end() ?? .garbled
      leave(seat, task, end, tell)
      return
    }
    do throws(BinaryDecodingError) {
      while let report = try next(seat) {
        tell(task, .report(report))
        if case .done = report {
          seats[seat].task = nil
          seats[seat].doneCount += 1
        }
      }
    } catch {
      leave(seat, task, .garbled, tell)
    }
  }

  private func next(_ seat: Int) throws(BinaryDecodingError) -> ChildResponse? {
    try seats[seat].child?.socket.next { reader throws(BinaryDecodingError) in
      try ChildResponse(&reader)
    }
      ?? nil
  }

  private func leave(_ seat: Int, _ task: Int, _ end: ChildExit, _ tell: (Int, Event) -> Void) {
    // One that hangs is not asked again: that is the unit's own doing, and costs the whole time-out.
    let isFresh = seats[seat].doneCount == 0 || end.isSilence
    seats[seat].child = nil
    seats[seat].task = nil
    tell(task, .ended(end, isFresh: isFresh))
  }
}

/// The monotonic clock.
enum Clock {
  /// Nanoseconds since some moment in the past.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e9) }

  /// For `poll`: rounded up, so that the moment has passed when it returns.
  static func millisecondsUntil(_ moment: UInt64) -> Int32 {
    let now = now
    return moment <= now ? 0 : Int32(clamping: (moment - now) / 1_000_000 + 1)
  }
}

// ScanHelperPool.swift: several helper processes that scan bundles. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// The scan result of a bundle.
struct ScanResult {
  /// The plugins found before the scan ended.
  var scannedPlugins: [ScannedPlugin] = []
  /// The names of presets found before the scan ended.
  var presets: [PresetName] = []
  /// The error message; empty if there was no error.
  var fault = ""
  /// Whether the bundle was scanned; otherwise the fault is that of the host.
  var isScanned = true
}

/// A bundle, or a slice of one, to scan.
struct ScanTask {
  let source: String
  let path: String
  var part = BundleSlice.whole
  /// The size; larger ones come first.
  let byteCount: UInt64
}

/// Distributes bundles over helper processes.
///
/// If a process ends or hangs, the current bundle counts as unreadable and another process continues. Code of an
/// earlier bundle (a thread, a handler) may have ended the process, so the bundle is scanned once more by a new
/// process. [main]
struct ScanHelperPool {
  let command: ChildCommand
  let limits: ChildLimits

  /// Scans all bundles; the results are in the order of `tasks`.
  func read(_ tasks: [ScanTask]) -> [ScanResult] {
    var results = [ScanResult](repeating: ScanResult(), count: tasks.count)
    // The largest first; otherwise one process would still be busy when the others are idle.
    var waiting = tasks.indices.sorted { tasks[$0].byteCount < tasks[$1].byteCount }
    let seats = HelperSlots(count: min(tasks.count, childCount))
    while true {
      for seat in 0 ..< seats.count where !waiting.isEmpty && seats.isIdle(seat) {
        let next = waiting.removeLast()
        if let end = seats.start(seat, next, tasks[next], self) {
          results[next].fault = Self.message(tasks[next].path, end)
          results[next].isScanned = false
        }
      }
      guard seats.isBusy else {
        if waiting.isEmpty { return results }
        continue
      }
      seats.wait(limits.scanSeconds) { index, event in
        switch event {
        case .report(.found(let scannedPlugin)): results[index].scannedPlugins.append(scannedPlugin)
        case .report(.preset(let preset)): results[index].presets.append(preset)
        case .report(.done(let message)): results[index].fault = message
        case .report(.stage), .report(.traits), .report(.remark), .report(.sign),
          .report(.crash):
          break
        case .ended(let end, isFresh: true):
          results[index].fault = Self.message(tasks[index].path, end)
        case .ended(_, isFresh: false):
          results[index] = ScanResult()
          waiting.append(index)
        }
      }
    }
  }

  /// Bundles larger than this are shared by all processes if their source allows it, because one of them may take
  /// as long as all others combined.
  static let sharedByteCount: UInt64 = 4 << 20

  /// The number of processes.
  var childCount: Int {
    max(1, limits.scanHelperCount ?? min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  private static func message(_ unit: String, _ end: ChildExit) -> String {
    "Skipped \(unit): the scan \(end.text)."
  }
}

/// The helper processes of a pool, one per slot.
@safe private final class HelperSlots {
  enum Event {
    case report(ChildResponse)
    /// The process ended; it was fresh if it had scanned nothing else.
    case ended(ChildExit, isFresh: Bool)
  }

  private struct HelperSlot: ~Copyable {
    var child: ChildProcess?
    /// The index of the current task.
    var task: Int?
    /// The number of finished tasks.
    var doneCount = 0
    /// The deadline by the monotonic clock.
    var deadline: UInt64 = 0
  }

  /// The interval between checks of a process past its deadline, in seconds.
  private static let pollSeconds = 0.25

  let count: Int
  private let seats: UnsafeMutablePointer<HelperSlot>

  init(count: Int) {
    self.count = count
    unsafe seats = .allocate(capacity: max(1, count))
    for index in 0 ..< count { unsafe (seats + index).initialize(to: HelperSlot()) }
  }

  deinit {
    unsafe seats.deinitialize(count: count)
    unsafe seats.deallocate()
  }

  var isBusy: Bool { (0 ..< count).contains { unsafe seats[$0].task != nil } }

  func isIdle(_ seat: Int) -> Bool { unsafe seats[seat].task == nil }

  /// Gives a task to a slot and starts its process if needed; returns the reason for a failure.
  func start(_ seat: Int, _ index: Int, _ task: ScanTask, _ pool: ScanHelperPool) -> ChildExit? {
    if unsafe seats[seat].child == nil {
      do throws(ChildProcess.SpawnError) {
        unsafe seats[seat].child = try ChildProcess(
          pool.command, memoryBytes: pool.limits.memoryBytes)
        unsafe seats[seat].doneCount = 0
      } catch {
        return .notStarted(error.code)
      }
    }
    // A process that has ended shows at the next `wait`.
    _ = unsafe seats[seat].child?.socket.send(
      ChildRequest.scan(source: task.source, unit: task.path, part: task.part).record)
    unsafe seats[seat].task = index
    unsafe seats[seat].child?.recordActivity()
    unsafe seats[seat].deadline = Clock.now + Clock.nanoseconds(pool.limits.scanSeconds)
    return nil
  }

  /// Waits for the next event and returns it with its task.
  func wait(_ seconds: Double, _ onEvent: (Int, Event) -> Void) {
    let busy = (0 ..< count).filter { unsafe seats[$0].task != nil }
    var polls = busy.map { seat in
      unsafe pollfd(
        fd: seats[seat].child?.socket.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    }
    let deadline = busy.map { unsafe seats[$0].deadline }.min() ?? Clock.now
    unsafe poll(&polls, nfds_t(polls.count), Clock.millisecondsUntil(deadline))
    for (seat, poll) in zip(busy, polls) {
      guard let task = unsafe seats[seat].task else { continue }
      if poll.revents != 0 {
        unsafe seats[seat].deadline = Clock.now + Clock.nanoseconds(seconds)
        unsafe seats[seat].child?.recordActivity()
        listen(seat, task, onEvent)
      } else if unsafe Clock.now >= seats[seat].deadline {
        if unsafe seats[seat].child?.isHanging(after: seconds) ?? true {
          leave(seat, task, .timedOut(seconds: seconds), onEvent)
        } else {
          unsafe seats[seat].deadline =
            Clock.now + Clock.nanoseconds(min(seconds, Self.pollSeconds))
        }
      }
    }
  }

  private func listen(_ seat: Int, _ task: Int, _ onEvent: (Int, Event) -> Void) {
    guard unsafe seats[seat].child?.socket.receive() ?? false else {
      let end = unsafe seats[seat].child?.end() ?? .protocolError
      leave(seat, task, end, onEvent)
      return
    }
    do throws(BinaryDecodingError) {
      while let report = try next(seat) {
        onEvent(task, .report(report))
        if case .done = report {
          unsafe seats[seat].task = nil
          unsafe seats[seat].doneCount += 1
        }
      }
    } catch {
      leave(seat, task, .protocolError, onEvent)
    }
  }

  private func next(_ seat: Int) throws(BinaryDecodingError) -> ChildResponse? {
    try unsafe seats[seat].child?.socket.next { reader throws(BinaryDecodingError) in
      try ChildResponse(&reader)
    }
      ?? nil
  }

  private func leave(_ seat: Int, _ task: Int, _ end: ChildExit, _ onEvent: (Int, Event) -> Void) {
    // A hung bundle is not scanned again, because that would cost another timeout.
    let isFresh = unsafe seats[seat].doneCount == 0 || end.isSilence
    unsafe seats[seat].child = nil
    unsafe seats[seat].task = nil
    onEvent(task, .ended(end, isFresh: isFresh))
  }
}

/// The monotonic clock.
enum Clock {
  /// The current time in nanoseconds.
  static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e9) }

  /// Returns a timeout for `poll`, rounded up so that the deadline has passed when it returns.
  static func millisecondsUntil(_ moment: UInt64) -> Int32 {
    let now = now
    return moment <= now ? 0 : Int32(clamping: (moment - now) / 1_000_000 + 1)
  }
}

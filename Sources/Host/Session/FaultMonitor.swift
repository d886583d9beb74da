// FaultMonitor.swift: ends a process whose plugin code crashed, exited or hangs. SPDX-License-Identifier: MIT

import CRealtime
import CRealtimeSafety
import Glibc
import PluginModel
import RealtimeKit
import Synchronization

/// A fault of plugin code that ends the process.
package struct FatalFault: Sendable {
  /// The kind of fault.
  package enum Kind: String, Sendable {
    /// A signal such as a segmentation fault.
    case crashed
    /// A call such as `exit`.
    case exited
    /// A node has not returned from its process call, or from another function.
    case hung
    /// A node ended its render thread.
    case threadEnded
  }

  /// The kind of fault.
  package let kind: Kind
  /// The node name in the rig; nil if unknown.
  package let node: String?
  /// The plugin; nil if unknown.
  package let plugin: String?
  /// The message: what happened, where, and the consequence.
  package let message: String
  /// The message without the consequence.
  package var what = ""
  /// The code location: source line, or library and offset; nil if unknown.
  package let location: String?
  /// The deed as a phrase after the plugin's name, without a location.
  var deed = ""
  /// The library of the code; empty if unknown.
  var library = ""

  /// A text that identifies the faulty code among faults of one session. [any]
  package var cause: String { node ?? (library.isEmpty ? kind.rawValue : library) }

  /// Remembers the plugin, so that it is isolated in the next session. [any but render]
  package func remember() {
    guard !deed.isEmpty else { return }
    FaultRecorder.record(deed, node: node, library: library)
  }
}

/// A thread that watches the render threads and reports faults that they cannot report.
///
/// There is one per process, and it is never freed. It takes no lock that a render thread can hold, and ends the
/// process in a way that no other thread can block.
package final class FaultMonitor: Sendable {
  /// The minimum time limit for a process call, in seconds.
  package static let minimumTimeoutSeconds = 2.0
  /// The time limit of a process call after the end was requested, in seconds.
  private static let exitTimeoutSeconds = 0.5
  /// The time limits of other functions, in seconds: in general, for those that may load files, as in a preflight, and
  /// for the latter after the end was requested.
  private static let callTimeout = (quick: 2.0, slow: 20.0, slowAtEnd: 3.0)
  /// The time limit for the main thread to stop the audio, in seconds; longer with long periods.
  private static let endTimeoutSeconds = 10.0
  /// After this time in one process call, the output is silent, in seconds.
  private static let stallSeconds = 0.3
  /// The polling interval in seconds.
  private static let pollSeconds = 0.1
  /// The number of polls that the main thread has to report the fault itself.
  private static let looksForMain = 15
  /// The time after which a function that delays the exit is reported although it hardly got a processor, in seconds.
  ///
  /// It is below the limit of `crts_limit_end` at an exit.
  private static let exitLimitSeconds = 7.0
  /// The time limit for messages and closing files, in seconds.
  private static let endSeconds: UInt32 = 15

  /// Reports the fault and closes files.
  ///
  /// Returns an exit status, or nil for that of the fault. [main or the monitor's thread, once]
  private let conclude: @Sendable (FatalFault) -> Int32?
  /// Wakes the main thread; nil if it never waits.
  private let wakeMain: (@Sendable () -> Void)?
  private let fault = Mutex<FatalFault?>(nil)
  private let isTaken = Atomic<Bool>(false)
  private let ends = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private let timeoutNanoseconds = Atomic<UInt64>(UInt64(minimumTimeoutSeconds * 1e9))
  private let stalled = Mutex<Stall?>(nil)

  private static let present = Mutex<FaultMonitor?>(nil)

  /// The monitor of this process; nil if there is none. [any]
  package static var shared: FaultMonitor? { present.withLock { $0 } }

  /// Starts the monitor. [main, once in a process]
  ///
  /// - Parameters:
  ///   - wakeMain: wakes the main thread, which then calls `concludeIfFaulty`; nil if the main thread renders.
  ///   - conclude: reports the fault and closes recordings. Returns an exit status, or nil for that of the fault.
  package static func begin(
    wakeMain: (@Sendable () -> Void)? = nil,
    conclude: @escaping @Sendable (FatalFault) -> Int32?
  ) {
    let monitor = FaultMonitor(wakeMain, conclude)
    present.withLock { $0 = monitor }
    guard DetachedThread.start({ monitor.run() }) == nil else { return }
    crts_await_faults()
  }

  private init(
    _ wakeMain: (@Sendable () -> Void)?, _ conclude: @escaping @Sendable (FatalFault) -> Int32?
  ) {
    self.wakeMain = wakeMain
    self.conclude = conclude
  }

  /// Raises the time limit of a process call to `seconds`, if that is longer. [main]
  package func allow(seconds: Double) {
    let timeout = max(Self.minimumTimeoutSeconds, min(seconds, 3_600))
    timeoutNanoseconds.store(UInt64(timeout * 1e9), ordering: .relaxed)
  }

  /// Marks the start of the session end, in which the main thread can wait for a thread that hangs. [any]
  package func beginEnding() { ends.store(true, ordering: .relaxed) }

  /// Whether the end was requested or has begun. [any]
  package var isEnding: Bool { ends.load(ordering: .relaxed) }

  /// Marks the end of the audio. [main]
  package func finishEnding() { hasEnded.store(true, ordering: .relaxed) }

  /// A node whose process call takes so long that the output is silent.
  package struct Stall: Sendable {
    /// The time in the call.
    package let seconds: Double
    /// The message without a full stop.
    package let message: String
  }

  /// The node that has not returned from its process call for a while; nil if there is none. [any]
  package var stall: Stall? { stalled.withLock { $0 } }

  /// Reports a fault, if there is one, and ends the process. [main]
  package func concludeIfFaulty() {
    guard let fault = fault.withLock({ $0 }) else { return }
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { Self.waitForEnd() }
    end(fault)
  }

  // MARK: - The thread

  private func run() {
    var detector = HangDetector()
    var endingSeconds = 0.0
    var exitStart: UInt64?
    while true {
      crts_wait_for_fault(UInt32(Self.pollSeconds * 1e3))
      let allowedSeconds = Double(timeoutNanoseconds.load(ordering: .relaxed)) / 1e9
      if ends.load(ordering: .relaxed), !hasEnded.load(ordering: .relaxed) {
        endingSeconds += Self.pollSeconds
        if endingSeconds >= max(Self.endTimeoutSeconds, allowedSeconds) {
          handle(Self.endlessEnding, onMain: true)
        }
      }
      if let fault = unsafe crts_take_fault()?.pointee {
        unsafe handle(Self.fault(fault), onMain: fault.thread == getpid())
      }
      let timeout =
        ends.load(ordering: .relaxed)
        ? max(Self.exitTimeoutSeconds, allowedSeconds / RenderLoop.timeoutBlocks) : allowedSeconds
      if exitStart == nil, crts_requested_status() >= 0 { exitStart = crealtime_nanoseconds() }
      let exitSeconds = exitStart.map { Double(crealtime_nanoseconds() - $0) / 1e9 } ?? 0
      let isExitLate = exitSeconds >= Self.exitLimitSeconds
      let hang = unsafe detector.poll(
        at: HangDetector.registeredThreads(), after: Self.pollSeconds, timeout: timeout,
        callTimeout: isExitLate ? { _ in 0 } : callTimeout)
      recordHang(detector)
      guard var hang else { continue }
      if isExitLate { hang.seconds = exitSeconds }
      crealtime_calm_thread(hang.thread)
      handle(Self.fault(hang), onMain: hang.thread == getpid())
    }
  }

  private func recordHang(_ detector: HangDetector) {
    guard let longest = detector.longest, longest.seconds >= Self.stallSeconds else {
      stalled.withLock { $0 = nil }
      return
    }
    let name =
      unsafe StepNames.node(of: UnsafeRawPointer(bitPattern: longest.subject))?.node ?? "A node"
    let tenths = Int((longest.seconds * 10).rounded())
    let stall = Stall(
      seconds: longest.seconds,
      message: "\(name) has not returned from its process call for"
        + " \(tenths / 10).\(tenths % 10) s")
    stalled.withLock { $0 = stall }
  }

  /// Returns the time limit of a call outside of rendering, in seconds.
  private func callTimeout(_ record: UInt) -> Double {
    guard let call = ForeignCode.call(of: record), call.function.isSlow else {
      return Self.callTimeout.quick
    }
    return ends.load(ordering: .relaxed) ? Self.callTimeout.slowAtEnd : Self.callTimeout.slow
  }

  private static func sleepBriefly() {
    var time = timespec(tv_sec: 0, tv_nsec: Int(pollSeconds * 1e9))
    unsafe nanosleep(&time, nil)
  }

  private static func waitForEnd() -> Never {
    while true { pause() }
  }

  /// Lets the main thread report the fault unless it is blocked, and ends the process.
  private func handle(_ found: FatalFault, onMain: Bool) -> Never {
    crts_limit_end(Self.endSeconds)
    fault.withLock { $0 = found }
    if let wakeMain, !onMain {
      for _ in 0 ..< Self.looksForMain where !ends.load(ordering: .relaxed) {
        if isTaken.load(ordering: .acquiring) { break }
        wakeMain()
        Self.sleepBriefly()
      }
    }
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { Self.waitForEnd() }
    end(found)
  }

  private func end(_ fault: FatalFault) -> Never {
    let status = conclude(fault)
    fault.remember()
    if let status { crts_end_now(status) }
    guard fault.kind == .crashed || fault.kind == .exited else { crts_end_now(1) }
    // The faulty thread ends the process with the signal that it received.
    crts_end_fault()
    Self.waitForEnd()
  }

  /// Marks the fault as reported. [within `conclude`]
  package func markReported() { crts_note_spoken() }
}

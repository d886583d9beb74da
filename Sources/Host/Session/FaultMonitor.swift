// FaultMonitor.swift: ends a process whose foreign code crashed, left, or never returns. SPDX-License-Identifier: MIT

import CRealtime
import CRealtimeSafety
import Glibc
import RealtimeKit
import Synchronization

/// What foreign code did that ends the process.
package struct FatalFault: Sendable {
  /// What it was.
  package enum Kind: String, Sendable {
    /// A signal such as a segmentation fault.
    case crashed
    /// A call such as `exit`.
    case exited
    /// A node has not returned from a block.
    case hung
    /// A node has ended the thread that rendered it.
    case threadEnded
  }

  /// What it was.
  package let kind: Kind
  /// The node by its name in the rig, and its plugin; nil where they are not known.
  package let node: String?
  package let plugin: String?
  /// What happened, where, and what follows from it, in one sentence.
  package let sentence: String
  /// Where in the code: the line of the source or library and offset; nil where that is not known.
  package let place: String?
}

/// A thread that watches the rendering threads, and reports faults that these cannot report.
///
/// There is one in a process, for good. It takes no lock that a rendering thread could hold, and ends the process by a
/// path that no other thread can hold up.
package final class FaultMonitor: Sendable {
  /// So long a node may take for a block, at least, in seconds.
  package static let shortestPatience = 2.0
  /// The same once the end was asked for, when there is no sound to be kept.
  private static let endingPatience = 0.5
  /// So long the main thread may take to end the sound, in seconds.
  private static let longestEnding = 10.0
  /// A node that has not returned for so long lets nothing be heard.
  private static let stallSeconds = 0.3
  /// Seconds between two looks.
  private static let lookSeconds = 0.1
  /// So long the main thread has time to tell of it by itself, in looks.
  private static let looksForMain = 15
  /// So long telling and closing files may take altogether, in seconds.
  private static let endSeconds: UInt32 = 15

  /// Tells of the fault, and closes what has to be closed. [main or the monitor's thread, once]
  private let conclude: @Sendable (FatalFault) -> Void
  /// Wakes the main thread; nil where it waits for nothing.
  private let wakesMain: (@Sendable () -> Void)?
  private let fault = Mutex<FatalFault?>(nil)
  private let isTaken = Atomic<Bool>(false)
  private let ends = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private let patienceNanoseconds = Atomic<UInt64>(UInt64(shortestPatience * 1e9))
  private let stalled = Mutex<Stall?>(nil)

  private static let present = Mutex<FaultMonitor?>(nil)

  /// The one of this process; nil where there is none. [any]
  package static var shared: FaultMonitor? { present.withLock { $0 } }

  /// Begins to watch. [main, once in a process]
  ///
  /// - Parameters:
  ///   - wakesMain: wakes the main thread, which then calls `concludeIfFaulty`; nil where the main thread renders.
  ///   - conclude: tells people and programs, and closes recordings.
  package static func begin(
    wakesMain: (@Sendable () -> Void)? = nil,
    conclude: @escaping @Sendable (FatalFault) -> Void
  ) {
    let monitor = FaultMonitor(wakesMain, conclude)
    present.withLock { $0 = monitor }
    guard DetachedThread.start({ monitor.run() }) == nil else { return }
    crts_await_faults()
  }

  private init(
    _ wakesMain: (@Sendable () -> Void)?, _ conclude: @escaping @Sendable (FatalFault) -> Void
  ) {
    self.wakesMain = wakesMain
    self.conclude = conclude
  }

  /// Allows a node so long for a block, where that is more than the usual time. [main]
  package func allow(seconds: Double) {
    let patience = max(Self.shortestPatience, min(seconds, 3_600))
    patienceNanoseconds.store(UInt64(patience * 1e9), ordering: .relaxed)
  }

  /// From now on the main thread ends the sound, and may wait for a thread that hangs. [main]
  package func beginEnding() { ends.store(true, ordering: .relaxed) }

  /// The sound has ended. [main]
  package func finishEnding() { hasEnded.store(true, ordering: .relaxed) }

  /// A node that takes so long for a block that nothing is heard.
  package struct Stall: Sendable {
    /// How long it has not returned.
    package let seconds: Double
    /// What is the case, without a full stop.
    package let sentence: String
  }

  /// The node that has not returned from its process call for a while; nil where none takes long. [any]
  package var stall: Stall? { stalled.withLock { $0 } }

  /// Tells of a fault and ends the process, if there was one. [main]
  package func concludeIfFaulty() {
    guard let fault = fault.withLock({ $0 }) else { return }
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { Self.waitForEnd() }
    end(fault)
  }

  // MARK: - The thread

  private func run() {
    var detector = HangDetector()
    var endingSeconds = 0.0
    while true {
      Self.rest()
      if ends.load(ordering: .relaxed), !hasEnded.load(ordering: .relaxed) {
        endingSeconds += Self.lookSeconds
        if endingSeconds >= Self.longestEnding { meet(Self.endlessEnding, onMain: true) }
      }
      if let fault = crts_take_fault()?.pointee {
        meet(Self.fault(fault), onMain: fault.thread == getpid())
      }
      let patience =
        ends.load(ordering: .relaxed)
        ? Self.endingPatience : Double(patienceNanoseconds.load(ordering: .relaxed)) / 1e9
      let hang = detector.look(
        at: HangDetector.registeredThreads(), after: Self.lookSeconds, patience: patience)
      note(detector)
      guard let hang else { continue }
      crealtime_calm_thread(hang.thread)
      meet(Self.fault(hang), onMain: hang.thread == getpid())
    }
  }

  private func note(_ detector: HangDetector) {
    guard let longest = detector.longest, longest.seconds >= Self.stallSeconds else {
      stalled.withLock { $0 = nil }
      return
    }
    let name = StepNames.node(of: UnsafeRawPointer(bitPattern: longest.subject))?.node ?? "A node"
    let tenths = Int((longest.seconds * 10).rounded())
    let stall = Stall(
      seconds: longest.seconds,
      sentence: "\(name) has not returned from its process call for"
        + " \(tenths / 10).\(tenths % 10) s")
    stalled.withLock { $0 = stall }
  }

  private static func rest() {
    var time = timespec(tv_sec: 0, tv_nsec: Int(lookSeconds * 1e9))
    nanosleep(&time, nil)
  }

  private static func waitForEnd() -> Never {
    while true { pause() }
  }

  /// Has the fault told of, by the main thread if that is not held up, and ends the process.
  private func meet(_ found: FatalFault, onMain: Bool) -> Never {
    crts_limit_end(Self.endSeconds)
    fault.withLock { $0 = found }
    if let wakesMain, !onMain {
      for _ in 0 ..< Self.looksForMain where !ends.load(ordering: .relaxed) {
        if isTaken.load(ordering: .acquiring) { break }
        wakesMain()
        Self.rest()
      }
    }
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { Self.waitForEnd() }
    end(found)
  }

  private func end(_ fault: FatalFault) -> Never {
    conclude(fault)
    guard fault.kind == .crashed || fault.kind == .exited else { crts_end_now(1) }
    // The thread that is at fault ends the process, by the signal that it got.
    crts_end_fault()
    Self.waitForEnd()
  }

  /// Says that people were told of the fault. [within `conclude`]
  package func noteSpoken() { crts_note_spoken() }
}

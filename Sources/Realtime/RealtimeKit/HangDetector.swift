// HangDetector.swift: detects a node that never returns from a block. SPDX-License-Identifier: MIT

package import CRealtime

/// Decides from samples of the render threads whether one of them hangs in a node.
///
/// Evidence is counted in samples, not in elapsed time: if the process or the machine is stopped,
/// the samples stop as well. A thread that waits for a processor or is stopped by a debugger is not
/// evidence.
package struct HangDetector {
  /// A node that hangs, or has ended the thread that rendered it.
  package struct Hang: Sendable, Equatable {
    /// The kernel's number of the thread.
    package var thread: Int32
    /// The context of the node's step, or the record of the call, as a number; 0 if a thread ended between steps.
    package var subject: UInt
    /// Whether the hung work is a call outside of rendering.
    package var isCall = false
    /// Whether the thread has ended.
    package var hasEnded: Bool
    /// How long the node has been in the call, in seconds.
    package var seconds: Double
  }

  private struct Suspect {
    var subject: UInt
    var isCall: Bool
    var turn: UInt64
    var processorNanoseconds: UInt64
    var seconds: Double
  }

  /// By the number of the thread.
  private var suspects: [Int32: Suspect] = [:]

  /// The node that has been in its call for the longest time, by the context of its step, and that
  /// time in seconds.
  ///
  /// Nil if all threads are between nodes. Calls outside of rendering do not count.
  package var longest: (subject: UInt, seconds: Double)? {
    suspects.values.filter { !$0.isCall }.max { $0.seconds < $1.seconds }.map {
      ($0.subject, $0.seconds)
    }
  }

  /// Creates a detector without samples.
  package init() {}

  /// Returns the state of the registered threads of this process. [one thread]
  package static func registeredThreads() -> [crealtime_thread] {
    var threads: [crealtime_thread] = []
    var thread = crealtime_thread()
    var position: UInt32 = 0
    while crealtime_thread_at(position, &thread) {
      position += 1
      if thread.number != 0 { threads.append(thread) }
    }
    return threads
  }

  /// Takes a sample.
  ///
  /// - Parameters:
  ///   - threads: the registered threads.
  ///   - seconds: the time since the last sample.
  ///   - timeout: the time that a node may use for a block, in seconds.
  ///   - callTimeout: the time that a call outside of rendering may take, in seconds, by its record.
  /// - Returns: the node that exceeded the time or ended its thread, or nil.
  package mutating func poll(
    at threads: [crealtime_thread], after seconds: Double, timeout: Double,
    callTimeout: (UInt) -> Double = { _ in .infinity }
  ) -> Hang? {
    var next: [Int32: Suspect] = [:]
    var found: Hang?
    for thread in threads {
      guard let subject = thread.work.subject.map({ UInt(bitPattern: $0) }) else {
        if thread.has_ended, found == nil { found = Self.killed(thread) }
        continue
      }
      var suspect = Suspect(
        subject: subject, isCall: thread.work.is_call, turn: thread.work.turn,
        processorNanoseconds: thread.processor_nanoseconds, seconds: 0)
      if let before = suspects[thread.number], before.subject == subject,
        before.turn == suspect.turn
      {
        suspect.seconds =
          before.seconds + Self.evidence(thread, before.processorNanoseconds, seconds)
      }
      next[thread.number] = suspect
      let limit = suspect.isCall ? callTimeout(subject) : timeout
      guard found == nil, thread.has_ended || suspect.seconds >= limit else { continue }
      found = Hang(
        thread: thread.number, subject: subject, isCall: suspect.isCall,
        hasEnded: thread.has_ended, seconds: suspect.seconds)
    }
    suspects = next
    return found
  }

  /// Returns the fault of a thread that the kernel ended between two steps.
  private static func killed(_ thread: crealtime_thread) -> Hang {
    Hang(thread: thread.number, subject: 0, hasEnded: true, seconds: 0)
  }

  /// Returns how much of the time between two samples the thread spent in the node, in seconds.
  private static func evidence(
    _ thread: crealtime_thread, _ processorNanoseconds: UInt64, _ seconds: Double
  ) -> Double {
    if thread.is_stopped { return 0 }
    guard thread.is_running else { return seconds }
    let used =
      thread.processor_nanoseconds
      &- min(
        processorNanoseconds, thread.processor_nanoseconds)
    return min(seconds, Double(used) / 1e9)
  }
}

// HangDetectorTests.swift: nodes that hang, and threads that only wait. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import Synchronization
import TestWaits
import Testing

@testable import RealtimeKit

@Suite struct HangDetectorTests {
  private let subject = UnsafeRawPointer(bitPattern: 0x1000)

  /// A thread in a given state.
  private func thread(
    _ subject: UnsafeRawPointer?, turn: UInt64 = 1, used milliseconds: UInt64 = 0,
    isRunning: Bool = false, isStopped: Bool = false, hasEnded: Bool = false, isCall: Bool = false
  ) -> crealtime_thread {
    crealtime_thread(
      number: 7, has_ended: hasEnded, is_running: isRunning, is_stopped: isStopped,
      processor_nanoseconds: milliseconds * 1_000_000,
      work: crealtime_work(subject: subject, turn: turn, is_call: isCall))
  }

  private func polls(
    _ count: Int, _ thread: (Int) -> crealtime_thread
  ) -> (HangDetector, HangDetector.Hang?) {
    var detector = HangDetector()
    for look in 0 ..< count {
      if let hang = detector.poll(at: [thread(look)], after: 0.1, timeout: 2) {
        return (detector, hang)
      }
    }
    return (detector, nil)
  }

  @Test func `a node that sleeps or spins is reported after two seconds`() throws {
    for isRunning in [false, true] {
      let (_, hang) = polls(22) {
        thread(subject, used: UInt64($0) * 100, isRunning: isRunning)
      }
      let found = try #require(hang)
      #expect(found.subject == 0x1000 && found.thread == 7 && !found.hasEnded)
      #expect(abs(found.seconds - 2) < 0.01)
    }
  }

  @Test func `a call outside of rendering has a separate time limit, and does not mute the node`()
    throws
  {
    let call = thread(subject, isCall: true)
    #expect(polls(100) { _ in call }.1 == nil)
    var detector = HangDetector()
    var hang: HangDetector.Hang?
    for _ in 0 ... 40 where hang == nil {
      hang = detector.poll(at: [call], after: 0.1, timeout: 0.5) { _ in 3 }
      #expect(detector.longest == nil)
    }
    let found = try #require(hang)
    #expect(found.isCall && abs(found.seconds - 3) < 0.15)
  }

  @Test func `a thread between two nodes, or in another block each time, is not reported`() {
    #expect(polls(100) { _ in thread(nil) }.1 == nil)
    #expect(polls(100) { thread(subject, turn: UInt64($0)) }.1 == nil)
    #expect(polls(100) { thread($0 % 10 == 9 ? nil : subject) }.1 == nil)
  }

  @Test func `a thread that waits for a processor or is stopped by a debugger is not reported`() {
    // One millisecond in each tenth of a second.
    let (starved, hang) = polls(100) { thread(subject, used: UInt64($0), isRunning: true) }
    #expect(hang == nil)
    #expect(abs((starved.longest?.seconds ?? 0) - 0.099) < 0.001)
    #expect(polls(100) { _ in thread(subject, isStopped: true) }.1 == nil)
  }

  @Test func `a thread that ended inside a node is reported at once`() {
    let (_, hang) = polls(1) { _ in thread(subject, hasEnded: true) }
    #expect(hang?.hasEnded == true)
  }

  // MARK: - Threads that there are

  /// The work of a thread until it may end.
  private final class Work: Sendable {
    let isFree = Atomic<Bool>(false)
    let ends = Atomic<Bool>(false)
  }

  private nonisolated(unsafe) static let entry: RealtimeThread.Entry = { context in
    guard let context else { return nil }
    let work = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue()
    crealtime_begin_work(context)
    if work.ends.load(ordering: .relaxed) { pthread_exit(nil) }
    while !work.isFree.load(ordering: .relaxed) {}
    crealtime_end_work()
    return nil
  }

  private func find(_ context: UnsafeMutableRawPointer, timeout: Double) -> HangDetector.Hang {
    var detector = HangDetector()
    let deadline = Deadline()
    while true {
      let threads = HangDetector.registeredThreads().filter {
        $0.work.subject == UnsafeRawPointer(context)
      }
      if let hang = detector.poll(at: threads, after: 0.001, timeout: timeout) { return hang }
      deadline.restOrTrap(0.001)
    }
  }

  @Test func `a thread that spins in a node is reported, and not after its end`() throws {
    let work = Work()
    let context = Unmanaged.passUnretained(work).toOpaque()
    let thread = try RealtimeThread(priority: 0, entry: Self.entry, context: context)
    #expect(!find(context, timeout: 0.02).hasEnded)
    work.isFree.store(true, ordering: .relaxed)
    thread.join()
    #expect(
      !HangDetector.registeredThreads().contains {
        $0.work.subject == UnsafeRawPointer(context)
      })
  }

  @Test func `a thread that a node ended is reported`() throws {
    let work = Work()
    work.ends.store(true, ordering: .relaxed)
    let context = Unmanaged.passUnretained(work).toOpaque()
    let thread = try RealtimeThread(priority: 0, entry: Self.entry, context: context)
    #expect(find(context, timeout: 1_000).hasEnded)
    thread.join()
  }
}

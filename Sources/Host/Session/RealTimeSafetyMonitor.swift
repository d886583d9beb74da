// RealTimeSafetyMonitor.swift: a run that watches itself for what an audio thread must not do.
// SPDX-License-Identifier: MIT

import CRealtime
import CRealtimeSafety
import RenderGraph

/// Counts what every block allocates, locks and asks of the kernel, and knows which node it was: see CRealtimeSafety
/// for how it is done.
///
/// Every thread that renders is watched. There is one in a process, for good: it makes them slower, and
/// other threads a little. [main]
package final class RealTimeSafetyMonitor {
  /// Something that a node, or the host, did in a block.
  package struct Violation: Sendable, Equatable {
    /// Whose step it was, by its name in the rig; nil where it was between the nodes.
    package var node: String?
    /// The function or system call.
    package var function: String
    /// Library, and symbol or offset; nil where it was the host itself.
    package var place: String?
    /// How often it was called from there, and in how many blocks.
    package var callCount: Int
    package var blockCount: Int
    /// In which block the first time, from 0.
    package var firstBlock: Int
  }

  /// What was seen so far.
  package struct Totals: Sendable, Equatable {
    /// Blocks that were watched.
    package var blockCount: Int
    package var allocationCount: Int
    package var freeCount: Int
    package var lockCount: Int
    package var systemCallCount: Int
    /// How often the thread waited within a block, and how often it was made to wait for others.
    package var waitCount: Int
    package var preemptionCount: Int
    /// Pages of memory that were touched for the first time, or had to be fetched.
    package var pageFaultCount: Int

    /// What must not be there at all.
    package var offenceCount: Int { allocationCount + freeCount + lockCount + systemCallCount }
  }

  private let observer: UnsafeMutablePointer<crealtime_observer>
  private var toldCount = 0
  private var told: Set<String> = []
  /// Names by the address of the node's state, of nodes that have gone as well.
  private var names: [UnsafeRawPointer: String] = [:]

  /// Watches from the next block on of every engine that it is told of.
  package init() {
    observer = .allocate(capacity: 1)
    observer.initialize(
      to: crealtime_observer(
        enter: crts_enter, exit: crts_exit, join: crts_join, leave: crts_leave))
    crts_monitor_host()
    crts_clear()
  }

  // The observer is never freed: threads may still be inside of it.

  /// Whether the kernel tells of every system call, or only the usual functions are seen.
  package var seesEverySystemCall: Bool { crts_traces_all_syscalls() }

  /// Watches a graph that nobody renders yet.
  func watch(_ graph: LiveGraph) {
    follow(graph)
    graph.engine.observe(UnsafePointer(observer))
    graph.editor.measuresNodes = true
  }

  /// Takes note of nodes and libraries that are new.
  func follow(_ graph: LiveGraph) {
    crts_install("")
    for (context, name) in graph.contextNames { names[context] = name }
  }

  /// What was done, in the order of the first times.
  package var offences: [Violation] {
    var found: [Violation] = []
    var offence = crts_violation()
    while crts_offence_at(UInt32(found.count), &offence) {
      let place = withUnsafeBytes(of: offence.place) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      found.append(
        Violation(
          node: offence.subject.flatMap { names[$0] },
          function: offence.what.map { String(cString: $0) } ?? "something",
          place: place.isEmpty ? nil : place, callCount: Int(offence.count),
          blockCount: Int(offence.block_count), firstBlock: Int(offence.first_block)))
    }
    return found
  }

  /// The sums so far.
  package var totals: Totals {
    let sums = crts_take_totals()
    return Totals(
      blockCount: Int(sums.blocks), allocationCount: Int(sums.offences.0),
      freeCount: Int(sums.offences.1), lockCount: Int(sums.offences.2),
      systemCallCount: Int(sums.offences.3), waitCount: Int(sums.waits),
      preemptionCount: Int(sums.preemptions), pageFaultCount: Int(sums.page_faults))
  }

  /// A sentence for each offence that is new since the last call, once each.
  func takeNotices() -> [String] {
    let all = offences
    defer { toldCount = all.count }
    return all.dropFirst(toldCount).compactMap { offence in
      let who = offence.node ?? "outboard itself"
      let place = offence.place.map { " at \($0)" } ?? ""
      let sentence =
        "Real-time violation: \(who) called \(offence.function) on the audio thread\(place)."
      // A node that was made anew does it again.
      return told.insert(sentence).inserted ? sentence : nil
    }
  }
}

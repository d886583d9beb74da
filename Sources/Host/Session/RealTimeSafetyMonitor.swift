// RealTimeSafetyMonitor.swift: detection of real-time violations in a session.
// SPDX-License-Identifier: MIT

import CRealtime
import CRealtimeSafety
import ErrorModel
import PluginCatalogue
import PluginModel
import RenderGraph
import RigPlanning

/// Counts allocations, locks and system calls in each block, and the nodes that caused them. [main]
///
/// See CRealtimeSafety for the implementation. All render threads are watched. There is one monitor per process, and
/// it is never freed. It slows render threads down, and other threads slightly.
@safe package final class RealTimeSafetyMonitor {
  /// A violation by a node or the host in a block.
  package struct Violation: Sendable, Equatable {
    /// The name of the node in the rig; nil between nodes.
    package var node: String?
    /// The function or system call.
    package var function: String
    /// Source line if known, library, and symbol or offset; nil for the host itself.
    package var location: String?
    /// The number of calls from this location.
    package var callCount: Int
    /// The number of blocks with calls.
    package var blockCount: Int
    /// The first block with a call, from 0.
    package var firstBlock: Int
  }

  /// The totals so far.
  package struct Totals: Sendable, Equatable {
    /// The number of watched blocks.
    package var blockCount: Int
    /// The number of allocations.
    package var allocationCount: Int
    /// The number of frees.
    package var freeCount: Int
    /// The number of locks.
    package var lockCount: Int
    /// The number of system calls.
    package var systemCallCount: Int
    /// The number of waits within blocks.
    package var waitCount: Int
    /// The number of preemptions within blocks.
    package var preemptionCount: Int
    /// The number of page faults.
    package var pageFaultCount: Int

    /// The number of violations.
    package var violationCount: Int { allocationCount + freeCount + lockCount + systemCallCount }
  }

  private let observer: UnsafeMutablePointer<crealtime_observer>
  private var reportedCount = 0
  private var reported: Set<String> = []
  /// Names by the address of the node state, including removed nodes.
  private var names: [UnsafeRawPointer: String] = unsafe [:]
  /// The libraries of the plugins by file name, including removed ones.
  private var libraries: [String: String] = [:]
  /// Locations with their source lines, by locations without.
  private var sourceLocations: [String: String] = [:]

  /// Starts to watch all engines that are added, from their next block on.
  package init() {
    unsafe observer = .allocate(capacity: 1)
    unsafe observer.initialize(
      to: crealtime_observer(
        enter: crts_enter, exit: crts_exit, join: crts_join, leave: crts_leave))
    crts_monitor_host()
    crts_clear()
  }

  // The observer is never freed, because threads can still be inside it.

  /// Whether the kernel traces all system calls.
  ///
  /// Otherwise only known functions are traced.
  package var tracesAllSystemCalls: Bool { crts_traces_all_syscalls() }

  /// Adds a graph that is not being rendered yet.
  func watch(_ graph: LiveGraph) {
    follow(graph)
    unsafe graph.engine.observe(UnsafePointer(observer))
    graph.editor.measuresNodes = true
  }

  /// Adds new nodes and libraries.
  func follow(_ graph: LiveGraph) {
    unsafe crts_install("")
    unsafe graph.contextNames.forEach { context, name in unsafe names[context] = name }
    for member in graph.members {
      let library = member.plugin.library
      libraries[library.split(separator: "/").last.map(String.init) ?? ""] = library
    }
  }

  /// Returns a location such as `module.so+0x114d (process)` with its source line, if that is known.
  private func sourceLocation(_ location: String) -> String {
    if let known = sourceLocations[location] { return known }
    let parts = location.split(separator: "+0x", maxSplits: 1)
    var text = location
    // The address is that after the call.
    if parts.count == 2, let library = libraries[String(parts[0])],
      let offset = UInt(parts[1].prefix(while: \.isHexDigit), radix: 16), offset > 0,
      let line = SourceLine.text(library, offset: offset - 1)
    {
      text = "\(line), \(location)"
    }
    sourceLocations[location] = text
    return text
  }

  /// Returns the violations in the order of their first occurrence.
  package var violations: [Violation] {
    var found: [Violation] = []
    var violation = unsafe crts_violation()
    while unsafe crts_offence_at(UInt32(found.count), &violation) {
      let location = unsafe withUnsafeBytes(of: violation.place) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      unsafe found.append(
        Violation(
          node: violation.subject.flatMap { unsafe names[$0] },
          function: violation.what.map { unsafe String(cString: $0) } ?? "something",
          location: location.isEmpty ? nil : sourceLocation(location),
          callCount: Int(violation.count),
          blockCount: Int(violation.block_count), firstBlock: Int(violation.first_block)))
    }
    return found
  }

  /// Returns the totals so far.
  package var totals: Totals {
    let sums = crts_take_totals()
    return Totals(
      blockCount: Int(sums.blocks), allocationCount: Int(sums.offences.0),
      freeCount: Int(sums.offences.1), lockCount: Int(sums.offences.2),
      systemCallCount: Int(sums.offences.3), waitCount: Int(sums.waits),
      preemptionCount: Int(sums.preemptions), pageFaultCount: Int(sums.page_faults))
  }

  /// Returns a notice for each violation that is new since the last call.
  func takeNotices() -> [HostNotice] {
    let all = violations
    defer { reportedCount = all.count }
    return all.dropFirst(reportedCount).compactMap { violation in
      let notice = HostNotice.realTimeViolation(
        by: violation.node, violation.function, at: violation.location)
      // A re-created node repeats the violation.
      return reported.insert("\(notice)").inserted ? notice : nil
    }
  }
}

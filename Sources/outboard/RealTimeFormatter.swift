// RealTimeFormatter.swift: real-time violations as text and JSON. SPDX-License-Identifier: MIT

import Console
import ErrorModel
import Session

/// The report at the end of `outboard run --check-realtime`.
struct RealTimeFormatter {
  private let totals: RealTimeSafetyMonitor.Totals
  private let violations: [RealTimeSafetyMonitor.Violation]
  private let tracesAllSystemCalls: Bool

  init(_ watch: RealTimeSafetyMonitor) {
    totals = watch.totals
    violations = watch.violations
    tracesAllSystemCalls = watch.tracesAllSystemCalls
  }

  /// The result, the totals and one row per violating call site.
  var lines: [String] {
    let blocks = "\(totals.blockCount) \(totals.blockCount == 1 ? "block" : "blocks")"
    var lines = [
      totals.violationCount == 0
        ? "Real-time safe: in \(blocks) no allocations, frees, locks or system calls."
        : "Not real-time safe: \(totals.violationCount) violations in \(blocks).",
      "  allocations \(totals.allocationCount), frees \(totals.freeCount), locks"
        + " \(totals.lockCount), system calls \(totals.systemCallCount)",
      "  also: waits \(totals.waitCount), preemptions \(totals.preemptionCount), page faults"
        + " \(totals.pageFaultCount)",
    ]
    if !tracesAllSystemCalls {
      lines.append(
        "  This kernel does not trace system calls. Only calls of known functions were recorded."
      )
    }
    guard !violations.isEmpty else { return lines }
    var table = Table([
      .init("NODE"), .init("CALLS"), .init("TIMES", .right), .init("BLOCKS", .right),
      .init("FIRST", .right), .init("WHERE", canShrink: true),
    ])
    for violation in violations {
      table.add([
        violation.node ?? "(host)", violation.function, "\(violation.callCount)",
        "\(violation.blockCount)", "\(violation.firstBlock)",
        violation.location ?? Self.host(violation),
      ])
    }
    return lines + table.lines(width: Terminal.error.columns)
  }

  /// The location text if the return address is in the host only.
  private static func host(_ violation: RealTimeSafetyMonitor.Violation) -> String {
    // A compiler can turn the last call of a function into a jump, which leaves no stack frame.
    violation.node == nil ? "outboard itself" : "outboard itself, or a tail call of the node"
  }

  /// The report as JSON.
  var values: Values {
    Values(
      blocks: totals.blockCount, allocations: totals.allocationCount, frees: totals.freeCount,
      locks: totals.lockCount, systemCalls: totals.systemCallCount, waits: totals.waitCount,
      preemptions: totals.preemptionCount, pageFaults: totals.pageFaultCount,
      tracesAllSystemCalls: tracesAllSystemCalls,
      violations: violations.map {
        Values.Violation(
          node: $0.node, function: $0.function, location: $0.location, calls: $0.callCount,
          blocks: $0.blockCount, firstBlock: $0.firstBlock)
      })
  }

  struct Values: Encodable {
    struct Violation: Encodable {
      /// Nil if the violation was between nodes.
      let node: String?
      let function: String
      /// Nil if the caller was the host.
      let location: String?
      let calls: Int
      let blocks: Int
      let firstBlock: Int
    }

    let blocks: Int
    let allocations: Int
    let frees: Int
    let locks: Int
    let systemCalls: Int
    let waits: Int
    let preemptions: Int
    let pageFaults: Int
    let tracesAllSystemCalls: Bool
    let violations: [Violation]
  }
}

/// The audio thread has violated real-time rules; the violations were already printed.
struct RealTimeFailure {
  let totals: RealTimeSafetyMonitor.Totals
  var description: String {
    "\(totals.violationCount) real-time violations on the audio thread. See the table above."
  }
}

extension RealTimeFailure: HostError {
  /// Violations are a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}

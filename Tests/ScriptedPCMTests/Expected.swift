// Expected.swift: guarantees that the driver violates, and tests with known violations. SPDX-License-Identifier: MIT

import Testing

/// The only list of scripts under which the driver violates its guarantees.
///
/// If a listed script passes, its test fails, so that the entry is removed.
enum Expected {
  /// The name of a case, and the reason of its failure.
  static let failures: [String: Comment] = [:]
}

/// Expects that a run keeps every guarantee, or violates one if the script is in the list.
func expect(
  _ name: String, _ machine: ScriptedMachine, _ verdict: DriverGuarantees = DriverGuarantees(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try machine.run()
  let complaints = verdict.complaints(outcome)
  guard let reason = Expected.failures[name] else {
    #expect(complaints == [], "\(name)\n\(machine.script)", sourceLocation: sourceLocation)
    return
  }
  withKnownIssue(reason, sourceLocation: sourceLocation) {
    #expect(complaints == [], sourceLocation: sourceLocation)
  }
}

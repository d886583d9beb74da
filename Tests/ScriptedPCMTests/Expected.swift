// Expected.swift: what the driver does not hold yet, and tests that know it. SPDX-License-Identifier: MIT

import Testing

/// The one list of scripts under which the driver does not keep its promises yet.
///
/// A test of one that has come to hold fails, so that its entry goes.
enum Expected {
  /// The name of a case, and why it fails.
  static let failures: [String: Comment] = [:]
}

/// Expects that a run keeps every promise, or does not where the list says so.
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

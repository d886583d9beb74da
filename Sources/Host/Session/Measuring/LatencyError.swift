// LatencyError.swift: reasons why a latency measurement failed. SPDX-License-Identifier: MIT

/// An error of a latency measurement that is not a device error.
package enum LatencyError: Error, Equatable, CustomStringConvertible {
  /// Only one direction was opened.
  case missingDirection
  /// No round received the signal; contains the ends of the cable.
  case noSignal(output: String, input: String)
  /// No two rounds agree; contains the result of each round, in frames.
  case unsteady(frames: [Double])
  /// Too many rounds were interrupted.
  case disturbed(roundCount: Int, xrunCount: Int)
  /// The device was lost or stopped; contains the reason.
  case deviceLost(reason: String)
  /// The user stopped the measurement.
  case interrupted

  /// The message to the user.
  package var description: String {
    switch self {
    case .missingDirection:
      "The measurement needs a capture and a playback device. Specify --in and --out."
    case .noSignal(let output, let input):
      "No signal received. Connect \(output) to \(input) with a cable and raise the input gain."
    case .unsteady(let frames):
      "No two rounds agree (\(Self.list(frames)) frames): the latency varies. Use hw: devices"
        + " and stop other audio programs."
    case .disturbed(let rounds, let xruns):
      "\(xruns) xruns invalidated \(rounds) rounds. Use a longer --period or more --periods."
    case .deviceLost(let reason): reason
    case .interrupted:
      "Interrupted before two rounds agreed. No result."
    }
  }

  private static func list(_ frames: [Double]) -> String {
    frames.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: ", ")
  }
}

// LatencyError.swift: why the latency could not be measured. SPDX-License-Identifier: MIT

/// What stands in the way of a latency measurement beyond the devices themselves.
package enum LatencyError: Error, Equatable, CustomStringConvertible {
  /// Only one direction was opened.
  case oneWay
  /// No round heard the signal; the ends that were to be connected.
  case nothingCameBack(output: String, input: String)
  /// No two rounds agreed; what each of them found, in frames.
  case unsteady(frames: [Double])
  /// Too many rounds were interrupted.
  case disturbed(roundCount: Int, xrunCount: Int)
  /// The device is gone, or stopped; why.
  case deviceLost(reason: String)
  /// The user asked for the end.
  case interrupted

  /// One sentence for people.
  package var description: String {
    switch self {
    case .oneWay:
      "The measurement needs a capture and a playback device. Specify --in and --out."
    case .nothingCameBack(let output, let input):
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

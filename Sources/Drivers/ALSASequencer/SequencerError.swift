// SequencerError.swift: why MIDI cannot be had, in sentences. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why the sequencer, or a MIDI device, cannot be used.
package enum SequencerError: Equatable {
  /// The kernel has no sequencer.
  case noSequencer
  /// The user may not open it.
  case notPermitted
  /// No device answers to that name; `meant` is the nearest name, `available` are all of that
  /// direction.
  case noSuchDevice(name: String, direction: Direction, meant: String?, available: [String])
  /// The name is part of several devices' names.
  case ambiguous(name: String, direction: Direction, candidates: [String])
  /// `none`, `hardware` or `all` stands beside a name.
  case wordBesideNames(word: String)
  /// The sequencer refused a step for a reason of its own.
  case refused(step: String, reason: String)

  /// Which way the messages go.
  package enum Direction: String, Sendable {
    /// From a device.
    case input
    /// To a device.
    case output
  }

  /// The process's exit status: 2 for a wrong request, 3 for a device that is missing or refuses. [any]
  package var exitStatus: Int32 {
    switch self {
    case .ambiguous, .wordBesideNames: 2
    default: 3
    }
  }
}

extension SequencerError {
  /// One sentence: what happened, where, and what would be right.
  package var description: String {
    switch self {
    case .noSequencer:
      "The kernel's MIDI sequencer is missing; load it with `sudo modprobe snd-seq`."
    case .notPermitted:
      "Permission to open the MIDI sequencer was denied; "
        + "add your user to the group audio (sudo adduser $USER audio) and log in again."
    case .noSuchDevice(let name, let direction, let meant, let available):
      "There is no MIDI \(direction.rawValue) \(name)"
        + "\(meant.map { " (did you mean \($0)?)" } ?? ""); \(Self.whatThereIs(available))."
    case .ambiguous(let name, let direction, let candidates):
      "The name \(name) is part of several MIDI \(direction.rawValue)s, "
        + "\(Self.list(candidates)); write more of it."
    case .wordBesideNames(let word):
      "The word \(word) cannot be combined with other MIDI devices. Remove one."
    case .refused(let step, let reason):
      "The MIDI sequencer could not \(step): \(reason)."
    }
  }

  private static func whatThereIs(_ available: [String]) -> String {
    guard !available.isEmpty else { return "there is none at all, so connect one" }
    return "there \(available.count == 1 ? "is" : "are") \(list(available))"
  }

  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension SequencerError: HostError {
  /// Whether the request or the device was at fault.
  package var kind: ErrorKind { exitStatus == 2 ? .usage : .device }
}

// SequencerError.swift: reasons why MIDI is not available. SPDX-License-Identifier: MIT

package import ErrorModel

/// The reason why the sequencer or a MIDI device cannot be used.
package enum SequencerError: Equatable {
  /// The kernel has no sequencer.
  case noSequencer
  /// The user has no permission to open it.
  case notPermitted
  /// No device has that name.
  ///
  /// `suggestion` is the nearest name; `available` lists all devices of that direction.
  case noSuchDevice(name: String, direction: Direction, suggestion: String?, available: [String])
  /// The name is part of several devices' names.
  case ambiguous(name: String, direction: Direction, candidates: [String])
  /// `none`, `hardware` or `all` is combined with a name.
  case wordWithNames(word: String)
  /// A call of the sequencer failed.
  case refused(step: String, reason: String)

  /// The direction of the messages.
  package enum Direction: String, Sendable {
    /// From a device.
    case input
    /// To a device.
    case output
  }

  /// The exit status of the process: 2 for a wrong request, 3 for a missing or failing device.
  /// [any]
  package var exitStatus: Int32 {
    switch self {
    case .ambiguous, .wordWithNames: 2
    default: 3
    }
  }
}

extension SequencerError {
  /// The message: what happened, where, and how to fix it.
  package var description: String {
    switch self {
    case .noSequencer:
      "The kernel's MIDI sequencer is missing. Load it with `sudo modprobe snd-seq`."
    case .notPermitted:
      "Permission to open the MIDI sequencer was denied. "
        + "Add your user to the group audio (sudo adduser $USER audio) and log in again."
    case .noSuchDevice(let name, let direction, let suggestion, let available):
      "No such MIDI \(direction.rawValue): \(name). "
        + "\(suggestion.map { "Did you mean \($0)? " } ?? "")\(Self.availableEndpoints(available))."
    case .ambiguous(let name, let direction, let candidates):
      "The name \(name) is part of several MIDI \(direction.rawValue)s, "
        + "\(Self.list(candidates)). Write a longer part of the name."
    case .wordWithNames(let word):
      "The word \(word) cannot be combined with other MIDI devices. Remove one."
    case .refused(let step, let reason):
      "The MIDI sequencer could not \(step): \(reason)."
    }
  }

  private static func availableEndpoints(_ available: [String]) -> String {
    guard !available.isEmpty else { return "No MIDI device is connected" }
    return "Available: \(list(available))"
  }

  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension SequencerError: HostError {
  /// Whether the request or the device is the cause.
  package var kind: ErrorKind { exitStatus == 2 ? .usage : .device }
}

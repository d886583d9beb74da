// MapError.swift: why a MIDI mapping was not made. SPDX-License-Identifier: MIT

import ErrorModel
import PluginModel

/// The reason why a MIDI mapping was not made or removed.
enum MapError: HostError, Equatable {
  /// The host has no MIDI devices.
  case noDevices
  /// Another command waits for a control.
  case busy(target: String)
  /// The user has cancelled.
  case cancelled
  /// No command waits for a control.
  case nothingToCancel
  /// No control was moved in time.
  case timeout(device: String?)
  /// The text matches no mapping.
  case noSuchMap(String, known: [String])
  /// The mapping exists.
  case exists(String)

  var kind: ErrorKind {
    switch self {
    case .noDevices, .timeout: .device
    case .cancelled: .failure
    default: .usage
    }
  }

  var description: String {
    switch self {
    case .noDevices: "This session cannot open MIDI devices."
    case .busy(let target):
      "The session already waits for a control for \(target). Move it, or cancel with"
        + " `outboard learn --cancel`."
    case .cancelled: "Learning was cancelled. Nothing was mapped."
    case .nothingToCancel: "No command waits for a MIDI control."
    case .timeout(let device):
      "No control\(device.map { " of \($0)" } ?? "") was moved within 30 s. Check the connection"
        + " with `outboard devices`, or name the device with --device."
    case .noSuchMap(let text, let known):
      "No MIDI mapping matches \"\(text)\"."
        + (known.isEmpty
          ? " The rig has none."
          : nearest(to: text, among: known).map { " Did you mean \($0)?" }
            ?? " List them with `outboard map`.")
    case .exists(let line): "The mapping \(line) exists already."
    }
  }
}

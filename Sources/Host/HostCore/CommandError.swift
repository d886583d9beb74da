// CommandError.swift: reasons why a command failed. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import Manifests
import PluginModel
import RigSchema

/// The reason why a command failed.
enum CommandError: HostError, Equatable {
  /// A path is not absolute.
  case relativePath(Command.Name, key: String, what: String)
  /// The duration of a scene change is out of range.
  case morphTime(Double)
  /// The text is not a position in a file.
  case position(String)
  /// A preset is set together with other values.
  case presetAmongValues(String)
  /// The tempo is out of range.
  case tempo(Double)
  /// The transport follows the clock of a device.
  case followsClock(device: String)
  /// The program has no plugin catalogue.
  case noLibrary
  /// No block is being rendered.
  case stalled(String)

  var kind: ErrorKind { if case .stalled = self { .stalled } else { .usage } }

  var description: String {
    switch self {
    case .relativePath(let command, let key, let what):
      "\(command.rawValue) needs \"\(key)\", \(what)."
    case .morphTime(let seconds): MorphTime.rule("\(seconds)")
    case .position(let text): "\(text) is not a time. Write e.g. 90 s or 1:30."
    case .presetAmongValues(let node):
      "\(node): a preset is set alone. Set the other values after it."
    case .tempo(let tempo):
      "The tempo \(plain(tempo)) is out of range. Use"
        + " \(plain(TransportSettings.temposBPM.lowerBound)) to"
        + " \(plain(TransportSettings.temposBPM.upperBound)) beats per minute."
    case .followsClock(let device):
      "The transport follows the MIDI clock of \(device). Change the tempo there, or stop that clock."
    case .noLibrary: "This program lists no plugins and files."
    case .stalled(let message): "\(message). Commands have no effect until it responds."
    }
  }
}

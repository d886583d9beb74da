// RigExportError.swift: why a rig cannot be exported exactly. SPDX-License-Identifier: MIT

package import ErrorModel

/// A part of the rig that the other host cannot do in the same way.
package enum RigExportError: Error, Equatable {
  /// The node is not an LV2 plugin.
  case notLV2(node: String, host: String)
  /// The node has a key that is not exported.
  case unsupportedKey(node: String, key: String, host: String)
  /// The connection has a key that is not exported.
  case unsupportedConnection(from: String, to: String, key: String, host: String)
  /// The node plays what it receives as MIDI.
  case needsMIDI(node: String, host: String)
  /// The rig maps MIDI controls.
  case mapsControls(host: String)
  /// The mapping has a part that is not exported.
  case unsupportedMap(map: String, key: String, host: String)
  /// The mapping has no channel.
  case mapWithoutChannel(map: String, host: String)
  /// The text of a property cannot be written in a command.
  case unwritableText(node: String, property: String, host: String)
  /// Two parts would have the same name.
  case repeatedName(name: String, host: String)
  /// More sources than a mixer has inputs.
  case tooManySources(port: String, limit: Int, host: String)

  /// The message for users. [any]
  package var description: String {
    switch self {
    case .notLV2(let node, let host):
      "\(node) is not an LV2 plugin, and \(host) cannot load it. Export modules with"
        + " `outboard export lv2`, and use them in the rig."
    case .unsupportedKey(let node, let key, let host):
      "\(node) has \(key), which the export to \(host) does not support."
        + " Remove it from a copy of the rig, which changes the sound."
    case .unsupportedConnection(let from, let to, let key, let host):
      "The connection \(from) -> \(to) has \(key), which the export to \(host) does not support."
        + " Remove it from a copy of the rig, which changes the sound."
    case .needsMIDI(let node, let host):
      "\(node) plays MIDI, which the export to \(host) does not support. Remove it from a copy of the"
        + " rig."
    case .mapsControls(let host):
      "The rig maps MIDI controls, which the export to \(host) does not support. Remove `map` from"
        + " a copy of the rig, and map the controls in \(host)."
    case .unsupportedMap(let map, let key, let host):
      "The mapping \(map) has \(key), which the export to \(host) does not support. Remove it from a"
        + " copy of the rig, and map the control in \(host)."
    case .mapWithoutChannel(let map, let host):
      "The mapping \(map) has no channel, which \(host) needs. Add it after the control, as in"
        + " `cc 7 channel 1`."
    case .unwritableText(let node, let property, let host):
      "The value of \(property) of \(node) has a quotation mark or a control character, or is longer than a"
        + " line of \(host). Change the value, or rename the file."
    case .repeatedName(let name, let host):
      "Two filters of \(host) would have the name \(name). Rename the node in a copy of the rig."
    case .tooManySources(let port, let limit, let host):
      "\(port) has more than \(limit) sources, the limit of \(host). Insert a mixer."
    }
  }
}

extension RigExportError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}

// LV2StateError.swift: errors of states and presets. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error of a state or preset.
package enum LV2StateError: Equatable {
  /// The plugin's `save` failed; the reason is the end of a message.
  case notSaved(name: String, reason: String)
  /// The plugin's `restore` failed.
  case notRestored(name: String, reason: String)
  /// A file or directory could not be written or read; the reason is the system's.
  case file(path: String, reason: String)
  /// The target exists and is not an LV2 bundle.
  case directoryExists(path: String)
  /// A directory contains no state of an LV2 plugin.
  case noState(path: String)
  /// A state belongs to another plugin.
  case otherPlugin(path: String, found: String, name: String)
  /// A bundle contains several presets of the plugin.
  case several(path: String, count: Int, name: String)
  /// A preset no longer exists or is empty.
  case noPreset(identifier: String, path: String)
  /// The audio thread did not release the instance.
  case busy(name: String)

  /// The error message. [any]
  package var description: String {
    switch self {
    case .notSaved(let name, let reason):
      "\(name) failed to save its state: \(reason)."
    case .notRestored(let name, let reason):
      "\(name) rejected the state: \(reason)."
    case .file(let path, let reason):
      "\(path): \(reason)."
    case .directoryExists(let path):
      "\(path) exists and is not an LV2 bundle. Choose another directory."
    case .noState(let path):
      "\(path) contains no LV2 state. Name a directory with a manifest.ttl that declares a state."
    case .otherPlugin(let path, let found, let name):
      "\(path) is a state of another plugin, <\(found)>, not of \(name)."
    case .several(let path, let count, let name):
      "\(path) contains \(count) presets of \(name). Choose one with preset."
    case .noPreset(let identifier, let path):
      "The preset <\(identifier)> cannot be read from \(path)."
    case .busy(let name):
      "\(name) is stuck in its process call. Its state was not changed."
    }
  }
}

extension LV2StateError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}

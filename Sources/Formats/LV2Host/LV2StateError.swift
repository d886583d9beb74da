// LV2StateError.swift: why a state or a preset could not be kept or taken. SPDX-License-Identifier: MIT

package import ErrorModel

/// What can go wrong with the state of an LV2 plugin.
package enum LV2StateError: Equatable {
  /// The plugin's `save` failed; the reason is the end of a sentence.
  case notSaved(name: String, reason: String)
  /// The plugin's `restore` failed.
  case notRestored(name: String, reason: String)
  /// A file or folder could not be written or read; the reason is the system's.
  case file(path: String, reason: String)
  /// There is something in the folder that is no LV2 bundle.
  case folderTaken(path: String)
  /// A folder holds no state of an LV2 plugin.
  case noState(path: String)
  /// A state is of another plugin.
  case otherPlugin(path: String, found: String, name: String)
  /// A bundle holds several presets of the plugin.
  case several(path: String, count: Int, name: String)
  /// A preset is no longer there, or holds nothing.
  case noPreset(identifier: String, path: String)
  /// The audio thread did not leave the instance alone.
  case busy(name: String)

  /// One sentence that says what happened, where, and what would be right. [any]
  package var description: String {
    switch self {
    case .notSaved(let name, let reason):
      "\(name) did not save its state: \(reason)."
    case .notRestored(let name, let reason):
      "\(name) did not take the state: \(reason)."
    case .file(let path, let reason):
      "\(path): \(reason)."
    case .folderTaken(let path):
      "\(path) is in the way: what is in it is no LV2 bundle; name another folder."
    case .noState(let path):
      "\(path) holds no state of an LV2 plugin; it is a folder with a manifest.ttl that names one."
    case .otherPlugin(let path, let found, let name):
      "\(path) is of another plugin, <\(found)>, and cannot be given to \(name)."
    case .several(let path, let count, let name):
      "\(path) holds \(count) presets of \(name); name the one that is meant with preset."
    case .noPreset(let identifier, let path):
      "The preset <\(identifier)> cannot be read; it should be in \(path)."
    case .busy(let name):
      "\(name) is in a block that does not end, so its state was left as it is."
    }
  }
}

extension LV2StateError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}

// LV2Error.swift: errors of LV2 plugins. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error when an LV2 plugin is loaded.
package enum LV2Error: Equatable {
  /// lilv failed to start.
  case noWorld
  /// No bundle contains the plugin.
  case unknownPlugin(uri: String)
  /// The plugin cannot be hosted; the message is the reason.
  case refused(message: String)
  /// The library failed to load; the reason is the loader's.
  case libraryNotLoadable(name: String, path: String, reason: String)
  /// The library does not contain the plugin.
  case notInLibrary(name: String, path: String, uri: String)
  /// `instantiate` failed; the plugin's log messages may be empty.
  case notInstantiated(name: String, messages: String)

  /// The error message. [any]
  package var description: String {
    switch self {
    case .noWorld:
      "lilv failed to start. There may be too little memory."
    case .unknownPlugin(let uri):
      "No such LV2 plugin: <\(uri)>. Run `outboard list --kind lv2` to see all LV2 plugins."
    case .refused(let message):
      message
    case .libraryNotLoadable(let name, let path, let reason):
      "\(name) cannot be loaded: its library \(path) failed to load (\(reason))."
    case .notInLibrary(let name, let path, let uri):
      "\(name) cannot be loaded: its library \(path) does not contain plugin <\(uri)>, "
        + "although the bundle declares it."
    case .notInstantiated(let name, let messages) where messages.isEmpty:
      "\(name) failed to instantiate and gave no reason."
    case .notInstantiated(let name, let messages):
      "\(name) failed to instantiate: \"\(messages)\"."
    }
  }
}

extension LV2Error: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}

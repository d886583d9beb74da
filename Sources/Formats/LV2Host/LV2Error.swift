// LV2Error.swift: why an LV2 plugin could not be had. SPDX-License-Identifier: MIT

package import ErrorModel

/// What can go wrong between a URI and a running instance.
package enum LV2Error: Equatable {
  /// lilv could not be set up at all.
  case noWorld
  /// No bundle that was looked into holds the plugin.
  case unknownPlugin(uri: String)
  /// The plugin is known and cannot be hosted; the sentence says why.
  case refused(sentence: String)
  /// The library could not be loaded; the reason is the loader's.
  case libraryNotLoadable(name: String, path: String, reason: String)
  /// The library holds no plugin of that URI.
  case notInLibrary(name: String, path: String, uri: String)
  /// `instantiate` gave nothing; what the plugin said to the log may be empty.
  case notInstantiated(name: String, said: String)

  /// One sentence that says what happened, where, and what would be right. [any]
  package var description: String {
    switch self {
    case .noWorld:
      "lilv could not be started; there may be too little memory."
    case .unknownPlugin(let uri):
      "No LV2 plugin <\(uri)> is installed; `outboard list --kind lv2` shows those that are."
    case .refused(let sentence):
      sentence
    case .libraryNotLoadable(let name, let path, let reason):
      "\(name) cannot be loaded: its library \(path) was refused by the system (\(reason))."
    case .notInLibrary(let name, let path, let uri):
      "\(name) cannot be loaded: its library \(path) holds no plugin <\(uri)>, "
        + "though the bundle says so."
    case .notInstantiated(let name, let said) where said.isEmpty:
      "\(name) did not instantiate, and gave no reason."
    case .notInstantiated(let name, let said):
      "\(name) did not instantiate: it said \"\(said)\"."
    }
  }
}

extension LV2Error: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}

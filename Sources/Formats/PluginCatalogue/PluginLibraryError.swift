// PluginLibraryError.swift: why a named plugin cannot be used. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a plugin that was named cannot be used.
package enum PluginLibraryError: Equatable {
  /// A plugin was listed, and no longer exists.
  case vanished(name: String)
  /// The plugin cannot be hosted.
  case refused(name: String, reason: String)
  /// A library without manifest.
  case noManifest(library: String)

  /// The message to the user.
  package var description: String {
    switch self {
    case .vanished(let name):
      return "\(name) is no longer installed. Run `outboard list` to see all plugins."
    case .refused(let name, let reason):
      return reason.contains(name) ? reason : "\(name) cannot be used: \(reason)"
    case .noManifest(let library):
      let file = library.split(separator: "/").last ?? ""
      let name = file.dropFirst().lastIndex(of: ".").map { file[..<$0] } ?? file
      return "\(library) has no manifest. Put \(name).yaml in the same directory, with its id,"
        + " name and channel counts."
    }
  }
}

extension PluginLibraryError: HostError {
  /// All errors of the library are errors of the request.
  package var kind: ErrorKind { .usage }
}

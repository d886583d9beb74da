// UserModuleError.swift: why a module was not added or removed. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a module was not added or removed.
package enum UserModuleError: Equatable {
  /// There is no home directory for it.
  case noHome
  /// The plugin is not a native module.
  case noModule(name: String)
  /// A module with this id is already installed.
  case exists(name: String, id: String)
  /// No such installed module.
  case notAdded(name: String, added: [String])
  /// The name is ambiguous.
  case ambiguous(name: String, ids: [String])
  /// A file cannot be written or removed.
  case notWritten(path: String)

  /// Whether the request was wrong. [any]
  ///
  /// Otherwise the operation failed.
  package var isUsageError: Bool {
    if case .notWritten = self { return false }
    return true
  }

  /// The message to the user.
  package var description: String {
    switch self {
    case .noHome:
      "No module directory: neither XDG_DATA_HOME nor HOME is set. Set one of them."
    case .noModule(let name):
      "\(name) is not a native module. Only sources and libraries with `process` can be installed."
    case .exists(let name, let id):
      "\(name) (\(id)) is already installed. Use --force to replace it, or set another `id:` to"
        + " keep both."
    case .notAdded(let name, let added):
      "No such installed module: \(name). "
        + (added.isEmpty
          ? "None is installed." : "Installed modules: \(added.joined(separator: ", ")).")
    case .ambiguous(let name, let ids):
      "\(name) is ambiguous. Use one of these ids: \(ids.joined(separator: ", "))."
    case .notWritten(let path):
      "\(path) cannot be written."
    }
  }
}

extension UserModuleError: HostError {
  /// Whether the request or the work was at fault.
  package var kind: ErrorKind { isUsageError ? .usage : .failure }
}

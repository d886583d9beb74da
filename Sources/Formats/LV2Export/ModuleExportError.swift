// ModuleExportError.swift: why a module was not exported. SPDX-License-Identifier: MIT

package import ErrorModel
import LV2Host
package import PluginModel

/// Why a module was not exported.
package enum ModuleExportError: Equatable {
  /// The plugin is not a native module.
  case noModule(name: String, kind: PluginKind)
  /// The URI is invalid.
  case noURI(text: String)
  /// Part of the installation is missing.
  case noShim
  /// An exported bundle exists there.
  case exists(path: String)
  /// Another file exists there.
  case foreign(path: String)
  /// The bundle contains a file that was not exported.
  case holdsMore(path: String, file: String)
  /// A file cannot be written.
  case notWritten(path: String, reason: String)

  /// Whether the request was wrong. [any]
  ///
  /// Otherwise the operation failed.
  package var isUsageError: Bool {
    switch self {
    case .noShim, .notWritten: false
    case .noModule, .noURI, .exists, .foreign, .holdsMore: true
    }
  }

  /// The message to the user.
  package var description: String {
    switch self {
    case .noModule(let name, .lv2):
      "\(name) is already an LV2 plugin. Other hosts can use it directly."
    case .noModule(let name, _):
      "\(name) is built in. Only native modules and sources can be exported."
    case .noURI(let text):
      "\"\(text)\" is not a URI. Use ASCII without spaces, e.g. https://example.org/echo or"
        + " urn:example:echo."
    case .noShim:
      "lv2-shim.so, the library that LV2 hosts load, is not installed. Run `make install`."
    case .exists(let path):
      "\(path) already exists. Use --force to replace it."
    case .foreign(let path):
      "\(path) already exists and was not exported by this program. Choose another directory."
    case .holdsMore(let path, let file):
      "\(path) contains \(file), which was not exported. Remove that file or choose another"
        + " directory."
    case .notWritten(let path, let reason):
      "\(path) cannot be written: \(reason)."
    }
  }
}

extension ModuleExportError: HostError {
  /// Whether the request or the work was at fault.
  package var kind: ErrorKind { isUsageError ? .usage : .failure }
}

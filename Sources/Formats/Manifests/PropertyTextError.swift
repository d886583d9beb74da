// PropertyTextError.swift: why a text is not a value of a property. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginModel

/// Why a text is no value for a property.
package enum PropertyTextError: Sendable, Equatable {
  /// Only the plugin sets it.
  case readOnly(Property)
  /// The type of the property is unknown.
  case undeclared(Property)
  /// The file is not there.
  case noFile(Property, found: String, path: String)
  /// The path names a pipe, a socket or a device; `kind` says which, with an article.
  case notAFile(Property, found: String, kind: String)
  /// The text is not a value of the property's type.
  case wrong(Property, found: String, what: String)

  /// The message, with how to fix it.
  package var description: String {
    switch self {
    case .readOnly(let property): "\(PropertyError.readOnly(name: property.symbol))"
    case .undeclared(let property): "\(PropertyError.undeclaredType(name: property.symbol))"
    case .noFile(let property, let found, let path) where found == path:
      "\(property.symbol) = \(found): no such file."
    case .noFile(let property, let found, let path):
      "\(property.symbol) = \(found): no such file: \(path)."
    case .notAFile(let property, let found, let kind):
      "\(property.symbol) = \(found): this is \(kind), not a file; name a file."
    case .wrong(let property, let found, let what):
      "\(property.symbol) = \(found.shortened) is not an allowed value. Allowed: \(what)."
    }
  }
}

extension PropertyTextError: HostError {
  /// Invalid values are errors of the request.
  package var kind: ErrorKind { .usage }
}

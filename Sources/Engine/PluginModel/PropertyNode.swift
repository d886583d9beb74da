// PropertyNode.swift: a node with properties. SPDX-License-Identifier: MIT

package import ErrorModel

/// A node whose plugin has properties, which are set and reported with messages.
///
/// They are in the order of the description's `properties`.
package protocol PropertyNode: Node {
  /// Sets a value, which the plugin receives at the start of its next block. [main]
  ///
  /// - Throws: if the property is read-only, the value has another type or is too long, or too many
  ///   values already wait.
  func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError)
  /// Returns the last value set here or reported by the plugin; nil if there is none. [main]
  func property(_ index: Int) -> PropertyValue?
  /// Returns the properties whose value the plugin changed since the last call, in order. [main]
  func takePropertyChanges() -> [Int]
  /// Whether a value can be set after the node has rendered; otherwise that requires another
  /// instance. [any]
  var acceptsPropertiesWhileRendering: Bool { get }
}

extension PropertyNode {
  /// Default: yes, because most plugins receive properties as messages.
  package var acceptsPropertiesWhileRendering: Bool { true }
}

/// Why a property was not set.
package enum PropertyError: Sendable, Equatable {
  /// The plugin reports the property, but it cannot be set.
  case readOnly(name: String)
  /// The plugin declares the property but has no port for property messages.
  case noPort(name: String)
  /// The value is of another type than the property.
  case wrongType(name: String, type: PropertyType)
  /// The property's type is not declared, so values cannot be checked.
  case undeclaredType(name: String)
  /// The text has a zero in it, at which the plugin would cut it off.
  case zeroInText(name: String)
  /// The message is longer than the plugin's port can hold.
  case tooLong(name: String, byteCount: Int, limitBytes: Int)
  /// There is no room, because earlier messages were not processed yet.
  case noRoom(name: String)
  /// The value refers to something that cannot be used.
  case unusable(name: String, reason: String)

  /// The message: what happened and how to fix it. [any]
  package var description: String {
    switch self {
    case .readOnly(let name):
      "\(name) is read-only: the plugin sets it."
    case .noPort(let name):
      "\(name) cannot be set: the plugin has no port for property messages."
    case .wrongType(let name, let type):
      "\(name) takes a value of type \(type.rawValue) but received another type."
    case .undeclaredType(let name):
      "\(name) cannot be set: the plugin's data do not declare its type."
    case .zeroInText(let name):
      "\(name) cannot contain a zero byte. Remove the zero byte."
    case .tooLong(let name, let byteCount, let limit):
      "\(name) has \(byteCount) bytes, but the plugin's port takes at most \(limit). Use a shorter"
        + " value."
    case .noRoom(let name):
      "\(name) cannot be set now: too many messages for the plugin are pending. Try again."
    case .unusable(let name, let reason):
      "\(name) is not set: \(reason)"
    }
  }
}

extension PropertyError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}

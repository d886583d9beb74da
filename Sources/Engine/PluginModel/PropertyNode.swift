// PropertyNode.swift: a node with properties. SPDX-License-Identifier: MIT

package import ErrorModel

/// A node whose plugin has properties: what is set and told in messages, in the order of the
/// description's `properties`.
package protocol PropertyNode: Node {
  /// Asks for another value, which the plugin gets at the start of its next block. [main]
  ///
  /// - Throws: where the property cannot be set, the value is of another type or too long, or so much
  ///   waits already that it finds no room.
  func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError)
  /// Returns the last value set here or reported by the plugin; nil if there is none. [main]
  func property(_ index: Int) -> PropertyValue?
  /// Returns the properties whose value the plugin changed since the last call, in order. [main]
  func takePropertyChanges() -> [Int]
  /// Whether a value can be set once the node has rendered; else it takes another instance. [any]
  var takesPropertiesWhileRendering: Bool { get }
}

extension PropertyNode {
  /// They are messages to most.
  package var takesPropertiesWhileRendering: Bool { true }
}

/// Why a property was not set.
package enum PropertyError: Sendable, Equatable {
  /// The plugin tells it, and takes it from nobody.
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
  /// Messages that are not taken yet leave no room.
  case noRoom(name: String)
  /// What it names cannot be used.
  case unusable(name: String, reason: String)

  /// One sentence: what happened and how to fix it. [any]
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
      "\(name) was given \(byteCount) bytes, and the plugin's port takes \(limit) at once; give it"
        + " less."
    case .noRoom(let name):
      "\(name) cannot be set now: too many messages for the plugin are pending. Try again."
    case .unusable(let name, let reason):
      "\(name) is not set: \(reason)"
    }
  }
}

extension PropertyError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}

// PropertyNode.swift: a node that goes by properties, too. SPDX-License-Identifier: MIT

package import ErrorModel

/// A node whose plugin has properties: what is set and told in messages, in the order of the
/// description's `properties`.
package protocol PropertyNode: Node {
  /// Asks for another value, which the plugin gets at the start of its next block. [main]
  ///
  /// - Throws: where the property cannot be set, the value is of another type or too long, or so much
  ///   waits already that it finds no room.
  func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError)
  /// The value last set here or told by the plugin; nil where neither has happened. [main]
  func property(_ index: Int) -> PropertyValue?
  /// The properties that the plugin has told another value of since the last call, in order. [main]
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
  /// The plugin declares it, but has no port by which it could be told.
  case noPort(name: String)
  /// The value is of another type than the property.
  case wrongType(name: String, type: PropertyType)
  /// Its type is not declared, so no value can be told to be right.
  case undeclaredType(name: String)
  /// The text has a zero in it, at which the plugin would cut it off.
  case zeroInText(name: String)
  /// The message is longer than the plugin's port can hold.
  case tooLong(name: String, byteCount: Int, limitBytes: Int)
  /// Messages that are not taken yet leave no room.
  case noRoom(name: String)
  /// What it names cannot be used.
  case unusable(name: String, reason: String)

  /// One sentence that says what happened, and what would be right. [any]
  package var description: String {
    switch self {
    case .readOnly(let name):
      "\(name) can only be read: the plugin sets it by itself."
    case .noPort(let name):
      "\(name) cannot be set: the plugin has no port for messages about it."
    case .wrongType(let name, let type):
      "\(name) takes a value of type \(type.rawValue), and was given another."
    case .undeclaredType(let name):
      "\(name) cannot be set: the plugin's data do not say of which type it is."
    case .zeroInText(let name):
      "\(name) cannot have a zero byte in its text; leave it out."
    case .tooLong(let name, let byteCount, let limit):
      "\(name) was given \(byteCount) bytes, and the plugin's port takes \(limit) at once; give it"
        + " less."
    case .noRoom(let name):
      "\(name) cannot be set now, as too much waits to be told to the plugin; try again."
    case .unusable(let name, let reason):
      "\(name) is not set: \(reason)"
    }
  }
}

extension PropertyError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}

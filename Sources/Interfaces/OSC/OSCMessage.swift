// OSCMessage.swift: messages and bundles of Open Sound Control. SPDX-License-Identifier: MIT

/// An argument of a message, by its type tag (OSC 1.0 and 1.1).
package enum OSCArgument: Sendable, Equatable {
  /// `i`
  case int(Int32)
  /// `f`
  case float(Float)
  /// `s` and `S`
  case string(String)
  /// `b`
  case blob([UInt8])
  /// `T` and `F`
  case bool(Bool)
  /// `N`
  case null
  /// `I`
  case impulse
  /// `h`
  case long(Int64)
  /// `d`
  case double(Double)
  /// `t`
  case timeTag(OSCTimeTag)
  /// `c`, a code point
  case character(UInt32)
  /// `[` and `]`
  case array([OSCArgument])

  /// The number that the argument means; nil for texts and others.
  package var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .long(let value): Double(value)
    case .double(let value): value
    case .bool(let isOn): isOn ? 1 : 0
    default: nil
    }
  }
}

/// A message: an address or address pattern, and arguments.
package struct OSCMessage: Sendable, Equatable {
  /// Begins with `/`.
  package var address: String
  /// The arguments.
  package var arguments: [OSCArgument]

  /// A message by its parts.
  package init(_ address: String, _ arguments: [OSCArgument] = []) {
    (self.address, self.arguments) = (address, arguments)
  }
}

/// The contents of a datagram or frame.
package indirect enum OSCPacket: Sendable, Equatable {
  /// One message.
  case message(OSCMessage)
  /// Packets that belong together, and when they are carried out.
  case bundle(OSCTimeTag, [OSCPacket])
}

// OSCFormatError.swift: why a packet cannot be read. SPDX-License-Identifier: MIT

/// Why a packet cannot be read; its sender is at fault.
package enum OSCFormatError: Error, Equatable, CustomStringConvertible {
  case empty, tooLong, unaligned, noAddress, truncated, elementSize, tooDeep, tooManyMessages
  case addressTooLong, noTypeTags, tooManyArguments, brackets, trailingBytes, notUTF8, framing
  /// A type tag that this program does not know.
  case unknownType(UInt8)

  /// The reason, as the end of a message.
  package var description: String {
    switch self {
    case .empty: "the packet is empty"
    case .tooLong: "the packet is longer than \(OSCDecoder.longestPacketBytes) bytes"
    case .unaligned: "the size is not a multiple of four bytes"
    case .noAddress: "the packet begins with neither / nor #bundle"
    case .truncated: "the packet ends too early"
    case .elementSize: "the size of an element of the bundle is wrong"
    case .tooDeep: "more than \(OSCDecoder.maximumDepth) bundles or lists are inside each other"
    case .tooManyMessages: "it has more than \(OSCDecoder.maximumMessageCount) messages"
    case .addressTooLong: "the address is longer than \(OSCDecoder.longestAddressBytes) bytes"
    case .noTypeTags: "the type tags do not begin with a comma"
    case .tooManyArguments: "a message has more than \(OSCDecoder.maximumArgumentCount) arguments"
    case .brackets: "the brackets of a list do not match"
    case .trailingBytes: "bytes follow the last argument"
    case .framing: "the packet is too long, or has a wrong SLIP escape"
    case .notUTF8: "a text is not UTF-8"
    case .unknownType(let tag):
      0x21 ..< 0x7F ~= tag
        ? "the type tag \(UnicodeScalar(tag)) is unknown" : "a type tag is not a letter"
    }
  }
}

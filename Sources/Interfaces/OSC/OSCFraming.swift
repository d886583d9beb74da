// OSCFraming.swift: packets on a connection. SPDX-License-Identifier: MIT

/// Divides the bytes of a connection into packets.
///
/// Sources: OSC 1.0 (a length before each packet), OSC 1.1 (SLIP, RFC 1055, with an end mark on both sides).
struct OSCFraming {
  /// The two kinds of framing.
  enum Kind: Equatable {
    /// A big-endian 32-bit length before each packet.
    case lengths
    /// End marks, with escapes.
    case slip

    /// Returns the framing of a connection by its first byte; nil if the byte belongs to neither.
    init?(firstByte: UInt8) {
      switch firstByte {
      // No packet is as long as 16 MiB.
      case 0: self = .lengths
      case OSCFraming.end, UInt8(ascii: "/"), UInt8(ascii: "#"): self = .slip
      default: return nil
      }
    }
  }

  private static let (end, escape): (UInt8, UInt8) = (0xC0, 0xDB)
  private static let (escapedEnd, escapedEscape): (UInt8, UInt8) = (0xDC, 0xDD)

  /// The kind of framing.
  let kind: Kind
  private var bytes: [UInt8] = []
  /// Whether the last byte was an escape.
  private var isEscaped = false
  /// Whether the present packet has a wrong escape or is too long, so that it is skipped.
  private var isBroken = false

  init(_ kind: Kind) { self.kind = kind }

  /// A packet, or why it cannot be read.
  typealias Result = Swift.Result<[UInt8], OSCFormatError>

  /// Adds received bytes; returns the packets that are complete.
  ///
  /// - Throws: `OSCFormatError` if the rest of the connection cannot be read.
  mutating func append(_ received: some Collection<UInt8>) throws(OSCFormatError) -> [Result] {
    switch kind {
    case .lengths: try appendLengths(received)
    case .slip: appendSLIP(received)
    }
  }

  private mutating func appendLengths(
    _ received: some Collection<UInt8>
  ) throws(OSCFormatError) -> [Result] {
    bytes += received
    var (packets, position): ([Result], Int) = ([], 0)
    defer { bytes.removeFirst(position) }
    while bytes.count - position >= 4 {
      let length = bytes[position ..< position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= OSCDecoder.longestPacketBytes else { throw .tooLong }
      guard bytes.count - position - 4 >= length else { break }
      packets.append(.success(Array(bytes[position + 4 ..< position + 4 + length])))
      position += 4 + length
    }
    return packets
  }

  private mutating func appendSLIP(_ received: some Collection<UInt8>) -> [Result] {
    var packets: [Result] = []
    for byte in received {
      if byte == Self.end {
        if isBroken || isEscaped {
          packets.append(.failure(isBroken ? .framing : .truncated))
        } else if !bytes.isEmpty {
          packets.append(.success(bytes))
        }
        (bytes, isEscaped, isBroken) = ([], false, false)
      } else if !isBroken {
        appendSLIP(byte)
      }
    }
    return packets
  }

  private mutating func appendSLIP(_ byte: UInt8) {
    switch (isEscaped, byte) {
    case (false, Self.escape): isEscaped = true
    case (false, _): bytes.append(byte)
    case (true, Self.escapedEnd):
      bytes.append(Self.end)
      isEscaped = false
    case (true, Self.escapedEscape):
      bytes.append(Self.escape)
      isEscaped = false
    case (true, _): isBroken = true
    }
    if bytes.count > OSCDecoder.longestPacketBytes { isBroken = true }
    if isBroken { (bytes, isEscaped) = ([], false) }
  }

  /// Returns the bytes of a packet on the connection.
  func frame(_ packet: [UInt8]) -> [UInt8] {
    switch kind {
    case .lengths:
      return unsafe withUnsafeBytes(
        of: UInt32(truncatingIfNeeded: packet.count).bigEndian, Array.init)
        + packet
    case .slip:
      var bytes = [Self.end]
      for byte in packet {
        switch byte {
        case Self.end: bytes += [Self.escape, Self.escapedEnd]
        case Self.escape: bytes += [Self.escape, Self.escapedEscape]
        default: bytes.append(byte)
        }
      }
      return bytes + [Self.end]
    }
  }
}

// ChildMessages.swift: all that parent and child say to each other. SPDX-License-Identifier: MIT
//
// A message is its length as four bytes, then a record that begins with the kind. The socket is the
// child's descriptor `childSocket`; its standard streams carry none of it, as plugins print to them.

internal import Glibc
internal import PluginModel

/// From the parent.
enum ChildRequest {
  /// Read a unit, or a part of it.
  case scan(source: String, unit: String, part: BundleSlice)
  /// Take a plugin through its life.
  case trial(source: String, plugin: PluginDescription, Preflight.Conditions)

  /// The descriptor at which a child finds its socket.
  static let childSocket: Int32 = 3

  var record: [UInt8] {
    var writer = BinaryEncoder()
    switch self {
    case .scan(let source, let unit, let part):
      writer.write(UInt8(1))
      writer.write(source)
      writer.write(unit)
      writer.write(UInt32(part.index))
      writer.write(UInt32(part.count))
    case .trial(let source, let plugin, let conditions):
      writer.write(UInt8(2))
      writer.write(source)
      writer.write(plugin)
      writer.write(conditions)
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    switch try reader.number(UInt8.self) {
    case 1:
      let (source, unit) = (try reader.text(), try reader.text())
      let (index, count) = (try reader.number(UInt32.self), try reader.number(UInt32.self))
      guard count > 0 else { throw BinaryDecodingError() }
      self = .scan(
        source: source, unit: unit, part: BundleSlice(index: Int(index), count: Int(count)))
    case 2:
      self = .trial(
        source: try reader.text(), plugin: try reader.description(), try reader.conditions())
    default: throw BinaryDecodingError()
    }
  }
}

/// From the child.
enum ChildResponse {
  /// A plugin was found.
  case found(ScannedPlugin)
  /// A stage of a trial begins.
  case stage(Preflight.Stage)
  /// What was seen in a trial that was passed.
  case traits(Preflight.Traits)
  /// The request is done; the sentence says what was wrong, and is empty if nothing was.
  case done(sentence: String)
  /// Something worth knowing of a plugin that is tried, as one sentence.
  case remark(sentence: String)
  /// What is being done goes on.
  case sign

  /// The first byte of a report.
  private enum Kind: UInt8 {
    case found = 1
    case stage, done, remark, sign, traits
  }

  var record: [UInt8] {
    var writer = BinaryEncoder()
    func begin(_ kind: Kind) { writer.write(kind.rawValue) }
    switch self {
    case .found(let finding):
      begin(.found)
      writer.write(finding.rank)
      writer.write(finding.description)
    case .stage(let stage):
      begin(.stage)
      writer.write(stage.rawValue)
    case .traits(let traits):
      begin(.traits)
      writer.write(traits.rawValue)
    case .done(let sentence):
      begin(.done)
      writer.write(sentence)
    case .remark(let sentence):
      begin(.remark)
      writer.write(sentence)
    case .sign: begin(.sign)
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    guard let kind = Kind(rawValue: try reader.number()) else { throw BinaryDecodingError() }
    switch kind {
    case .found:
      let rank = try reader.number(UInt64.self)
      self = .found(ScannedPlugin(try reader.description(), rank: rank))
    case .stage:
      guard let stage = Preflight.Stage(rawValue: try reader.number()) else {
        throw BinaryDecodingError()
      }
      self = .stage(stage)
    case .traits: self = .traits(Preflight.Traits(rawValue: try reader.number()))
    case .done: self = .done(sentence: try reader.text())
    case .remark: self = .remark(sentence: try reader.text())
    case .sign: self = .sign
    }
  }
}

extension BinaryEncoder {
  /// Appends a rate and a length. [any]
  mutating func write(_ conditions: Preflight.Conditions) {
    write(conditions.sampleRateHz.bitPattern)
    write(Int64(conditions.maximumFrameCount))
  }
}

extension BinaryDecoder {
  /// Takes a rate and a length; what no plugin could be made with is a fault. [any]
  mutating func conditions() throws(BinaryDecodingError) -> Preflight.Conditions {
    let rate = Double(bitPattern: try number())
    let count = try number(Int64.self)
    guard rate > 0, rate.isFinite, 1 ... Int64(Int32.max) ~= count else {
      throw BinaryDecodingError()
    }
    return Preflight.Conditions(sampleRateHz: rate, maximumFrameCount: Int(count))
  }
}

/// One end of the socket between parent and child.
package struct MessageSocket {
  /// The socket; who made it closes it.
  package let descriptor: Int32
  private var received: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The end that a child was started with. [any, in the child]
  package static var ofChild: MessageSocket { MessageSocket(ChildRequest.childSocket) }

  /// The longest message: a plugin with ten thousand ports fits many times.
  private static let longestByteCount = 64 << 20

  /// Sends a message whole; false if the other end is gone. [any]
  package func send(_ record: [UInt8]) -> Bool {
    var writer = BinaryEncoder()
    writer.write(UInt32(record.count))
    let bytes = writer.bytes + record
    return bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Waits until bytes have come, or the other end is gone; false if neither happens for so long.
  func hasNews(within seconds: Double) -> Bool {
    let deadline = Clock.now + Clock.nanoseconds(seconds)
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = Glibc.poll(&poll, 1, Clock.millisecondsUntil(deadline))
      if count > 0 { return true }
      if count == 0 { return false }
    }
  }

  /// Waits for more bytes; false at the end of the stream. [any]
  package mutating func receive() -> Bool {
    let capacity = 65_536
    var chunk = [UInt8](repeating: 0, count: capacity)
    var count = recv(descriptor, &chunk, capacity, 0)
    while count < 0 && errno == EINTR { count = recv(descriptor, &chunk, capacity, 0) }
    guard count > 0 else { return false }
    received.append(contentsOf: chunk.prefix(count))
    return true
  }

  /// Waits for the next message; nil at the end of the stream. [any]
  package mutating func wait<Message>(
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Message
  ) throws(BinaryDecodingError) -> Message? {
    while true {
      if let message = try next(read) { return message }
      guard receive() else { return nil }
    }
  }

  /// Takes the next message that has come whole, read by `read`; nil if there is none. [any]
  package mutating func next<Message>(
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Message
  ) throws(BinaryDecodingError) -> Message? {
    guard received.count >= 4 else { return nil }
    var result: Result<Message, BinaryDecodingError>?
    let consumed = received.withUnsafeBytes { bytes -> Int in
      let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      guard length <= Self.longestByteCount else {
        result = .failure(BinaryDecodingError())
        return 0
      }
      guard bytes.count >= 4 + length else { return 0 }
      var reader = BinaryDecoder(UnsafeRawBufferPointer(rebasing: bytes[4 ..< 4 + length]))
      do throws(BinaryDecodingError) {
        result = .success(try read(&reader))
      } catch {
        result = .failure(error)
      }
      return 4 + length
    }
    received.removeFirst(consumed)
    return try result?.get()
  }
}

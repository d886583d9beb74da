// ChildMessages.swift: messages between parent and helper process. SPDX-License-Identifier: MIT
//
// A message is its length as four bytes, then a record that starts with its kind. The socket is descriptor
// `childSocket`. The standard streams are not used, because plugins print to them.

internal import Glibc
internal import PluginModel

/// A request of the parent.
enum ChildRequest {
  /// Scan a bundle or a slice of it.
  case scan(source: String, unit: String, part: BundleSlice)
  /// Run the preflight of a plugin.
  case preflight(source: String, plugin: PluginDescription, Preflight.Conditions)

  /// The descriptor of the socket in a helper process.
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
    case .preflight(let source, let plugin, let conditions):
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
      self = .preflight(
        source: try reader.text(), plugin: try reader.description(), try reader.conditions())
    default: throw BinaryDecodingError()
    }
  }
}

/// A response of the helper process.
enum ChildResponse {
  /// A plugin was found.
  case found(ScannedPlugin)
  /// The name of a preset was found.
  case preset(PresetName)
  /// A preflight stage starts.
  case stage(Preflight.Stage)
  /// The traits of a plugin that passed the preflight.
  case traits(Preflight.Traits)
  /// The request is complete; the text is the error message, or empty.
  case done(message: String)
  /// A note about a plugin that passed the preflight.
  case remark(message: String)
  /// A sign of life.
  case sign
  /// Plugin code crashed, or was interrupted on request.
  case crash(CrashReport)

  /// The first byte of a response.
  private enum Kind: UInt8 {
    case found = 1
    case stage, done, remark, sign, traits, crash, preset
  }

  /// The first byte of a crash report.
  static let crashKind = Kind.crash.rawValue

  var record: [UInt8] {
    var writer = BinaryEncoder()
    func begin(_ kind: Kind) { writer.write(kind.rawValue) }
    switch self {
    case .found(let scannedPlugin):
      begin(.found)
      writer.write(scannedPlugin.rank)
      writer.write(scannedPlugin.description)
    case .preset(let preset):
      begin(.preset)
      preset.write(&writer)
    case .stage(let stage):
      begin(.stage)
      writer.write(stage.rawValue)
    case .traits(let traits):
      begin(.traits)
      writer.write(traits.rawValue)
    case .done(let message):
      begin(.done)
      writer.write(message)
    case .remark(let message):
      begin(.remark)
      writer.write(message)
    case .sign: begin(.sign)
    case .crash(let report):
      begin(.crash)
      report.encode(to: &writer)
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    guard let kind = Kind(rawValue: try reader.number()) else { throw BinaryDecodingError() }
    switch kind {
    case .found:
      let rank = try reader.number(UInt64.self)
      self = .found(ScannedPlugin(try reader.description(), rank: rank))
    case .preset: self = .preset(try PresetName(&reader))
    case .stage:
      guard let stage = Preflight.Stage(rawValue: try reader.number()) else {
        throw BinaryDecodingError()
      }
      self = .stage(stage)
    case .traits: self = .traits(Preflight.Traits(rawValue: try reader.number()))
    case .done: self = .done(message: try reader.text())
    case .remark: self = .remark(message: try reader.text())
    case .sign: self = .sign
    case .crash: self = .crash(try CrashReport(&reader))
    }
  }
}

extension BinaryEncoder {
  /// Appends a sample rate and a block length. [any]
  mutating func write(_ conditions: Preflight.Conditions) {
    write(conditions.sampleRateHz.bitPattern)
    write(Int64(conditions.maximumFrameCount))
  }
}

extension BinaryDecoder {
  /// Reads a sample rate and a block length; throws for illegal values. [any]
  mutating func conditions() throws(BinaryDecodingError) -> Preflight.Conditions {
    let rate = Double(bitPattern: try number())
    let count = try number(Int64.self)
    guard rate > 0, rate.isFinite, 1 ... Int64(Int32.max) ~= count else {
      throw BinaryDecodingError()
    }
    return Preflight.Conditions(sampleRateHz: rate, maximumFrameCount: Int(count))
  }
}

/// One end of the socket between parent and helper process.
package struct MessageSocket {
  /// The socket.
  ///
  /// Its creator closes it.
  package let descriptor: Int32
  private var received: [UInt8] = []

  /// One end of a socket.
  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The end in a helper process. [any, in the helper process]
  package static var helperSide: MessageSocket { MessageSocket(ChildRequest.childSocket) }

  /// The exit status of a helper process whose end of the socket was closed or replaced in it.
  static let lostStatus: Int32 = 113

  /// The exit status of a helper process whose stream has ended. [any]
  var exitStatus: Int32 {
    var status = stat()
    let isSocket = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    return isSocket ? 0 : Self.lostStatus
  }

  /// The maximum message length, enough for a plugin with ten thousand ports.
  private static let longestByteCount = 64 << 20

  /// Sends a whole message; returns false if the other end is closed. [any]
  package func send(_ record: [UInt8]) -> Bool {
    var writer = BinaryEncoder()
    writer.write(UInt32(record.count))
    let bytes = writer.bytes + record
    return unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = unsafe Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        unsafe rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Waits for data or the end of the stream; returns false after a timeout. [any]
  package func waitForData(within seconds: Double) -> Bool {
    let deadline = Clock.now + Clock.nanoseconds(seconds)
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe Glibc.poll(&poll, 1, Clock.millisecondsUntil(deadline))
      if count > 0 { return true }
      if count == 0 { return false }
    }
  }

  /// Waits for more bytes; returns false at the end of the stream. [any]
  package mutating func receive() -> Bool {
    let capacity = 65_536
    var chunk = [UInt8](repeating: 0, count: capacity)
    var count = unsafe recv(descriptor, &chunk, capacity, 0)
    while count < 0 && errno == EINTR { count = unsafe recv(descriptor, &chunk, capacity, 0) }
    guard count > 0 else { return false }
    received.append(contentsOf: chunk.prefix(count))
    return true
  }

  /// Waits for the next message; returns nil at the end of the stream. [any]
  package mutating func wait<Message>(
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Message
  ) throws(BinaryDecodingError) -> Message? {
    while true {
      if let message = try next(read) { return message }
      guard receive() else { return nil }
    }
  }

  /// Returns the next complete message, read by `read`; nil if there is none. [any]
  package mutating func next<Message>(
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Message
  ) throws(BinaryDecodingError) -> Message? {
    guard received.count >= 4 else { return nil }
    var result: Result<Message, BinaryDecodingError>?
    let consumed = unsafe received.withUnsafeBytes { bytes -> Int in
      let length = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      guard length <= Self.longestByteCount else {
        result = .failure(BinaryDecodingError())
        return 0
      }
      guard bytes.count >= 4 + length else { return 0 }
      var reader = unsafe BinaryDecoder(UnsafeRawBufferPointer(rebasing: bytes[4 ..< 4 + length]))
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

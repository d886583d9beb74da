// WorkerMessages+BinaryCoding.swift: binary encoding of requests and replies. SPDX-License-Identifier: MIT

internal import PluginCatalogue
internal import PluginModel

extension WorkerRequest {
  var record: [UInt8] {
    var writer = BinaryEncoder()
    writer.write(node)
    writer.write(values) { $0.write($1) }
    switch action {
    case .hello: writer.write(UInt8(0))
    case .create(let request):
      writer.write(UInt8(1))
      request.write(to: &writer)
    case .share: writer.write(UInt8(2))
    case .activate: writer.write(UInt8(3))
    case .deactivate: writer.write(UInt8(4))
    case .reset: writer.write(UInt8(5))
    case .destroy: writer.write(UInt8(6))
    case .poll(let refreshes):
      writer.write(UInt8(7))
      writer.write(refreshes)
    case .setProperty(let index, let value):
      writer.write(UInt8(8))
      writer.write(UInt32(index))
      writer.write(value)
    case .loadPreset(let preset):
      writer.write(UInt8(9))
      for text in [preset.identifier, preset.name, preset.location] { writer.write(text) }
      preset.bank.write(to: &writer)
    case .savePreset(let name, let bank, let directory, let replaces):
      writer.write(UInt8(10))
      writer.write(name)
      bank.write(to: &writer)
      writer.write(directory)
      writer.write(replaces)
    case .saveState(let directory):
      writer.write(UInt8(11))
      writer.write(directory)
    case .restoreState(let directory):
      writer.write(UInt8(12))
      writer.write(directory)
    case .saveBytes: writer.write(UInt8(13))
    case .restoreBytes(let bytes):
      writer.write(UInt8(14))
      writer.write(bytes) { $0.write($1) }
    case .setBlockLength(let count):
      writer.write(UInt8(15))
      writer.write(UInt32(count))
    case .setInputLatency(let count):
      writer.write(UInt8(16))
      writer.write(Int64(count))
    case .keepState(let directory, let seconds):
      writer.write(UInt8(17))
      writer.write(directory)
      writer.write(UInt32(seconds))
    case .sandbox(let readable, let directory):
      writer.write(UInt8(18))
      writer.write(readable) { $0.write($1) }
      writer.write(directory)
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    node = try reader.number()
    values = try reader.floats()
    action = try Self.action(&reader)
  }

  private static func action(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) -> Action {
    switch try reader.number(UInt8.self) {
    case 0: .hello
    case 1: .create(try NodeRequest(&reader))
    case 2: .share
    case 3: .activate
    case 4: .deactivate
    case 5: .reset
    case 6: .destroy
    case 7: .poll(refreshesReadouts: try reader.flag())
    case 8: .setProperty(Int(try reader.number(UInt32.self)), try reader.propertyValue())
    case 9: .loadPreset(try reader.preset())
    case 10:
      .savePreset(
        name: try reader.text(), bank: try reader.bank(), directory: try reader.text(),
        replaces: try reader.flag())
    case 11: .saveState(directory: try reader.text())
    case 12: .restoreState(directory: try reader.text())
    case 13: .saveBytes
    case 14: .restoreBytes(try reader.byteList())
    case 15: .setBlockLength(Int(try reader.number(UInt32.self)))
    case 16: .setInputLatency(Int(try reader.number(Int64.self)))
    case 17:
      .keepState(
        directory: try reader.text(), olderSeconds: Int(try reader.number(UInt32.self)))
    case 18:
      .sandbox(
        readable: try reader.list { reader throws(BinaryDecodingError) in try reader.text() },
        directory: try reader.text())
    default: throw BinaryDecodingError()
    }
  }
}

extension NodeRequest {
  fileprivate func write(to writer: inout BinaryEncoder) {
    writer.write(plugin)
    writer.write(traits.rawValue)
    writer.write(sampleRateHz.bitPattern)
    writer.write(UInt32(maximumFrameCount))
    for flag in [isOffline, hasConstantBlocks, hasTransport] { writer.write(flag) }
  }

  fileprivate init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    plugin = try reader.description()
    traits = Preflight.Traits(rawValue: try reader.number())
    sampleRateHz = Double(bitPattern: try reader.number())
    maximumFrameCount = Int(try reader.number(UInt32.self))
    isOffline = try reader.flag()
    hasConstantBlocks = try reader.flag()
    hasTransport = try reader.flag()
  }
}

extension Optional<PluginPreset.Bank> {
  fileprivate func write(to writer: inout BinaryEncoder) {
    writer.write(self != nil)
    writer.write(self?.identifier ?? "")
    writer.write(self?.name ?? "")
  }
}

extension BinaryDecoder {
  fileprivate mutating func bank() throws(BinaryDecodingError) -> PluginPreset.Bank? {
    let exists = try flag()
    let (identifier, name) = (try text(), try text())
    return exists ? PluginPreset.Bank(identifier: identifier, name: name) : nil
  }

  fileprivate mutating func preset() throws(BinaryDecodingError) -> PluginPreset {
    let (identifier, name, location) = (try text(), try text(), try text())
    return PluginPreset(
      identifier: identifier, name: name, bank: try bank(), location: location)
  }

  /// Reads a list of numbers.
  mutating func floats() throws(BinaryDecodingError) -> [Float] {
    try list { reader throws(BinaryDecodingError) in try reader.float() }
  }
}

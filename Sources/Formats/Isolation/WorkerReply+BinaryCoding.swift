// WorkerReply+BinaryCoding.swift: binary encoding of replies. SPDX-License-Identifier: MIT
//
// A worker may be damaged, so everything that is read here is checked.

internal import PluginCatalogue
internal import PluginModel

extension WorkerReply {
  var record: [UInt8] {
    var writer = BinaryEncoder()
    writer.write(error != nil)
    writer.write(error ?? "")
    writer.write(propertyError != nil)
    if let propertyError { writer.write(propertyError) }
    writer.write(flag)
    writer.write(number)
    writer.write(bytes != nil)
    writer.write(bytes ?? []) { $0.write($1) }
    writer.write(shape != nil)
    if let shape { shape.write(to: &writer) }
    writer.write(status != nil)
    if let status { status.write(to: &writer) }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    let hasFailed = try reader.flag()
    let text = try reader.text()
    error = hasFailed ? text : nil
    propertyError = try reader.flag() ? try reader.propertyError() : nil
    flag = try reader.flag()
    number = try reader.number()
    let hasBytes = try reader.flag()
    let state = try reader.byteList()
    bytes = hasBytes ? state : nil
    shape = try reader.flag() ? try NodeShape(&reader) : nil
    status = try reader.flag() ? try NodeStatus(&reader) : nil
  }
}

extension NodeShape {
  fileprivate func write(to writer: inout BinaryEncoder) {
    writer.write(flags.rawValue)
    for count in [inputCount, outputCount, voltageOutputCount, unitFrameCount] {
      writer.write(UInt32(count))
    }
    writer.write(ranges) {
      $0.write($1.lowerBound)
      $0.write($1.upperBound)
    }
    writer.write(unconnectedDefaults) { $0.write($1) }
  }

  fileprivate init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    flags = Flags(rawValue: try reader.number())
    inputCount = Int(try reader.number(UInt32.self))
    outputCount = Int(try reader.number(UInt32.self))
    voltageOutputCount = Int(try reader.number(UInt32.self))
    unitFrameCount = Int(try reader.number(UInt32.self))
    ranges = try reader.list { reader throws(BinaryDecodingError) in
      let (low, high) = (try reader.float(), try reader.float())
      guard low <= high else { throw BinaryDecodingError() }
      return low ... high
    }
    unconnectedDefaults = try reader.list { reader throws(BinaryDecodingError) in
      try reader.flag()
    }
    guard inputCount <= Self.channelLimit, outputCount <= Self.channelLimit,
      voltageOutputCount <= outputCount, unitFrameCount > 0,
      unconnectedDefaults.count == inputCount
    else { throw BinaryDecodingError() }
  }
}

extension NodeStatus {
  fileprivate func write(to writer: inout BinaryEncoder) {
    writer.write(UInt32(max(0, latencyFrames)))
    writer.write(adaptation != nil)
    writer.write(UInt32(max(0, adaptation?.latencyFrames ?? 0)))
    writer.write(UInt32(adaptation?.blockFrames ?? 0))
    writer.write((adaptation?.rateHz ?? 0).bitPattern)
    writer.write(hasChangedState)
    writer.write(parameters) { $0.write($1) }
    writer.write(readouts) { $0.write($1) }
    writer.write(properties != nil)
    writer.write(properties ?? []) {
      $0.write($1 != nil)
      if let value = $1 { $0.write(value) }
    }
    writer.write(changedProperties) { $0.write(UInt32($1)) }
    writer.write(messages) {
      $0.write($1.level)
      $0.write($1.text)
    }
    writer.write(UInt32(max(0, droppedMessageCount)))
  }

  fileprivate init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    latencyFrames = min(Int(try reader.number(UInt32.self)), Self.longestLatencyFrames)
    let isAdapted = try reader.flag()
    let (latency, block) = (
      Int(try reader.number(UInt32.self)), Int(try reader.number(UInt32.self))
    )
    let rate = Double(bitPattern: try reader.number())
    if isAdapted {
      adaptation = NodeAdaptation(
        latencyFrames: min(latency, Self.longestLatencyFrames),
        blockFrames: block > 0 ? block : nil, rateHz: rate > 0 ? rate : nil)
    }
    hasChangedState = try reader.flag()
    parameters = try reader.floats()
    readouts = try reader.floats()
    let hasProperties = try reader.flag()
    let values = try reader.list { reader throws(BinaryDecodingError) -> PropertyValue? in
      try reader.flag() ? try reader.propertyValue() : nil
    }
    properties = hasProperties ? values : nil
    changedProperties = try reader.list { reader throws(BinaryDecodingError) in
      Int(try reader.number(UInt32.self))
    }
    messages = try reader.list { reader throws(BinaryDecodingError) in
      PluginLogMessage(level: try reader.text(), text: try reader.text())
    }
    droppedMessageCount = Int(try reader.number(UInt32.self))
  }

  /// Whether the reply, which a damaged worker may have sent, fits a node. [any]
  func fits(_ plugin: PluginDescription) -> Bool {
    parameters.count == plugin.parameters.count && readouts.count == plugin.readouts.count
      && (properties?.count ?? plugin.properties.count) == plugin.properties.count
      && changedProperties.allSatisfy { plugin.properties.indices.contains($0) }
  }
}

extension BinaryEncoder {
  fileprivate mutating func write(_ error: PropertyError) {
    let (kind, name): (UInt8, String)
    var (first, second) = (0, 0)
    var text = ""
    switch error {
    case .readOnly(let property): (kind, name) = (0, property)
    case .noPort(let property): (kind, name) = (1, property)
    case .wrongType(let property, let type):
      (kind, name) = (2, property)
      text = type.rawValue
    case .undeclaredType(let property): (kind, name) = (3, property)
    case .zeroInText(let property): (kind, name) = (4, property)
    case .tooLong(let property, let byteCount, let limitBytes):
      (kind, name) = (5, property)
      (first, second) = (byteCount, limitBytes)
    case .noRoom(let property): (kind, name) = (6, property)
    case .unusable(let property, let reason):
      (kind, name) = (7, property)
      text = reason
    }
    write(kind)
    write(name)
    write(text)
    write(Int64(first))
    write(Int64(second))
  }
}

extension BinaryDecoder {
  fileprivate mutating func propertyError() throws(BinaryDecodingError) -> PropertyError {
    let kind = try number(UInt8.self)
    let (name, text) = (try text(), try text())
    let (first, second) = (Int(try number(Int64.self)), Int(try number(Int64.self)))
    switch kind {
    case 0: return .readOnly(name: name)
    case 1: return .noPort(name: name)
    case 2:
      guard let type = PropertyType(rawValue: text) else { throw BinaryDecodingError() }
      return .wrongType(name: name, type: type)
    case 3: return .undeclaredType(name: name)
    case 4: return .zeroInText(name: name)
    case 5: return .tooLong(name: name, byteCount: first, limitBytes: second)
    case 6: return .noRoom(name: name)
    case 7: return .unusable(name: name, reason: text)
    default: throw BinaryDecodingError()
    }
  }
}

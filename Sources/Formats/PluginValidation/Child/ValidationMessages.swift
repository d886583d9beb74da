// ValidationMessages.swift: messages between validator and helper process. SPDX-License-Identifier: MIT

internal import PluginCatalogue
internal import PluginModel

/// A request of the parent.
enum ValidationRequest {
  /// Run tests on a plugin.
  case runTests(PluginDescription, [InitialProperty], [ValidationTest])
  /// Benchmark a plugin at block lengths, in frames.
  case time(PluginDescription, [Int])

  var record: [UInt8] {
    var writer = BinaryEncoder()
    switch self {
    case .runTests(let plugin, let properties, let tests):
      writer.write(UInt8(1))
      writer.write(plugin)
      writer.write(properties) {
        $0.write(UInt32($1.property))
        $0.write($1.value)
      }
      writer.write(tests) { $0.write($1.rawValue) }
    case .time(let plugin, let lengths):
      writer.write(UInt8(2))
      writer.write(plugin)
      writer.write(lengths) { $0.write(UInt32($1)) }
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    switch try reader.number(UInt8.self) {
    case 1:
      let plugin = try reader.description()
      self = .runTests(
        plugin,
        try reader.list { reader throws(BinaryDecodingError) in
          InitialProperty(
            property: Int(try reader.number(UInt32.self)), value: try reader.propertyValue())
        },
        try reader.list { reader throws(BinaryDecodingError) in
          try reader.test()
        })
    case 2:
      let plugin = try reader.description()
      self = .time(
        plugin,
        try reader.list { reader throws(BinaryDecodingError) in Int(try reader.number(UInt32.self))
        })
    default: throw BinaryDecodingError()
    }
  }
}

/// A response of the helper process.
enum ValidationResponse {
  /// A test starts.
  case begun(ValidationTest)
  /// The current situation, as the end of a message.
  case situation(String)
  /// A test has ended.
  case result(TestResult)
  /// The result for one block length.
  case timing(BlockTiming)
  /// The request is complete; the text is the error message, or empty.
  case done(String)
  /// The process is about to crash; the location may be unknown.
  case crash(CrashReport)

  /// The kind of the message that CRealtimeSafety writes.
  static let crashKind: UInt8 = 6

  var record: [UInt8] {
    var writer = BinaryEncoder()
    switch self {
    case .begun(let test):
      writer.write(UInt8(1))
      writer.write(test.rawValue)
    case .situation(let words):
      writer.write(UInt8(2))
      writer.write(words)
    case .result(let result):
      writer.write(UInt8(3))
      writer.write(result)
    case .timing(let timing):
      writer.write(UInt8(4))
      writer.write(UInt32(timing.frameCount))
      writer.write(timing.medianNanoseconds.bitPattern)
      writer.write(timing.slowNanoseconds.bitPattern)
      writer.write(UInt32(timing.blockCount))
    case .done(let message):
      writer.write(UInt8(5))
      writer.write(message)
    case .crash(let report):
      writer.write(Self.crashKind)
      report.encode(to: &writer)
    }
    return writer.bytes
  }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    switch try reader.number(UInt8.self) {
    case 1: self = .begun(try reader.test())
    case 2: self = .situation(try reader.text())
    case 3: self = .result(try reader.result())
    case 4:
      let frameCount = Int(try reader.number(UInt32.self))
      let (median, slow) = (try reader.double(), try reader.double())
      self = .timing(
        BlockTiming(
          frameCount: frameCount, medianNanoseconds: median, slowNanoseconds: slow,
          blockCount: Int(try reader.number(UInt32.self))))
    case 5: self = .done(try reader.text())
    case Self.crashKind: self = .crash(try CrashReport(&reader))
    default: throw BinaryDecodingError()
    }
  }
}

extension BinaryEncoder {
  mutating func write(_ result: TestResult) {
    write(result.test.rawValue)
    write(result.isApplicable)
    write(result.remarks) {
      $0.write($1.severity.rawValue)
      $0.write($1.message)
    }
    write(result.measurements) {
      $0.write($1.name)
      $0.write($1.value.bitPattern)
      $0.write($1.unit)
    }
  }
}

extension BinaryDecoder {
  mutating func double() throws(BinaryDecodingError) -> Double { Double(bitPattern: try number()) }

  mutating func test() throws(BinaryDecodingError) -> ValidationTest {
    guard let test = ValidationTest(rawValue: try number()) else {
      throw BinaryDecodingError()
    }
    return test
  }

  mutating func result() throws(BinaryDecodingError) -> TestResult {
    let test = try test()
    let isApplicable = try flag()
    let remarks = try list { reader throws(BinaryDecodingError) in
      guard let severity = Severity(rawValue: try reader.number()) else {
        throw BinaryDecodingError()
      }
      return TestMessage(severity, try reader.text())
    }
    let measurements = try list { reader throws(BinaryDecodingError) in
      Measurement(try reader.text(), try reader.double(), try reader.text())
    }
    return TestResult(
      test, remarks: remarks, measurements: measurements, isApplicable: isApplicable)
  }
}

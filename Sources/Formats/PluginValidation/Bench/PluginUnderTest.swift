// PluginUnderTest.swift: the plugin that is tested. SPDX-License-Identifier: MIT

internal import CRealtime
import ErrorModel
internal import PluginModel

/// A plugin and the function that creates instances of it.
final class PluginUnderTest {
  /// The default sample rate of tests, in Hz.
  static let sampleRateHz = 48_000.0
  /// The default maximum block length of tests, in frames.
  static let maximumFrameCount = 1_024

  let description: PluginDescription
  /// Creates an inactive instance.
  let make: (NodeConfiguration) throws -> any Node
  /// Whether its instances would share variables, so that each has a copy of the library.
  var keepsGlobals: () -> Bool = { false }
  private let report: (String) -> Void
  private var situation = ""
  private var reportedNanoseconds: UInt64 = 0
  /// The interval at which the helper process reports that it is alive.
  ///
  /// A slow plugin whose helper process reports does not count as hung.
  private static let heartbeatNanoseconds: UInt64 = 1_000_000_000

  /// Creates a plugin under test; `report` receives each situation.
  init(
    description: PluginDescription, make: @escaping (NodeConfiguration) throws -> any Node,
    report: @escaping (String) -> Void
  ) {
    self.description = description
    self.make = make
    self.report = report
  }

  /// Reports the current situation as the end of a message: `with blocks of 7 frames`.
  func begin(_ situation: String) {
    self.situation = situation
    report(situation)
    reportedNanoseconds = crealtime_nanoseconds()
  }

  /// Sends a sign of life if the last one is old; called before each block.
  func sendHeartbeat() {
    if crealtime_nanoseconds() > reportedNanoseconds + Self.heartbeatNanoseconds {
      begin(situation)
    }
  }

  /// Creates a bench with a new instance.
  ///
  /// Its own threads run the plugin's worker, unless it is offline.
  func bench(
    sampleRateHz: Double = sampleRateHz, maximumFrameCount: Int = maximumFrameCount,
    isOffline: Bool = false, hasConstantBlocks: Bool = false
  ) throws -> TestBench {
    try TestBench(
      self,
      NodeConfiguration(
        sampleRateHz: sampleRateHz, maximumFrameCount: maximumFrameCount, isOffline: isOffline,
        hasConstantBlocks: hasConstantBlocks))
  }

  /// Creates a bench with a new instance in a sandbox.
  func sandboxedBench() throws -> TestBench {
    var configuration = NodeConfiguration(
      sampleRateHz: Self.sampleRateHz, maximumFrameCount: Self.maximumFrameCount, isOffline: true)
    configuration.isolation = .own
    configuration.sandbox = NodeSandbox()
    return try TestBench(self, configuration)
  }

  /// Returns `output "left"` or `outputs "left", "right"`.
  func outputs(_ channels: Set<Int>) -> String {
    Self.list("output", channels, description.audioOutputs + description.cvOutputs)
  }

  /// Returns the same text for inputs.
  func inputs(_ channels: Set<Int>) -> String {
    Self.list("input", channels, description.audioInputs + description.cvInputs)
  }

  private static let listedCount = 4

  private static func list(_ word: String, _ channels: Set<Int>, _ ports: [AudioPort]) -> String {
    let names = channels.sorted().map { channel in
      channel < ports.count ? "\"\(ports[channel].symbol)\"" : "\(channel + 1)"
    }
    return "\(word)\(names.count == 1 ? "" : "s") \(names.listed(atMost: listedCount))"
  }
}

/// A test of a plugin.
protocol ValidationTestRunner {
  static var test: ValidationTest { get }
  /// Runs the test; a thrown error is a fault of the plugin.
  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult
}

extension TestResult {
  /// Returns the result of a test that does not apply.
  static func notApplicable(_ test: ValidationTest) -> TestResult {
    TestResult(test, isApplicable: false)
  }
}

// ValidationHelper.swift: validation in a helper process. SPDX-License-Identifier: MIT

internal import CProcess
internal import CRealtimeSafety
internal import Glibc
internal import PluginCatalogue
package import PluginModel

/// The helper process that validates or benchmarks one plugin.
package enum ValidationHelper {
  /// The hidden first argument that starts the program as this helper process.
  package static let argument = "--helper-inspection"

  /// Creates an instance; the program passes it in.
  package typealias Maker = (PluginDescription, NodeConfiguration) throws -> any Node

  /// Answers the parent's requests until the parent closes the socket; never returns. [main]
  ///
  /// - Parameters:
  ///   - make: creates an instance.
  ///   - keepsGlobals: whether a plugin has variables that its instances would share, so that each has
  ///     a copy of the library.
  package static func run(
    make: @escaping Maker, keepsGlobals: @escaping (PluginDescription) -> Bool = { _ in false }
  ) -> Never {
    // A hung plugin must not outlive the parent, which would have killed it.
    cprocess_end_with_parent()
    var socket = MessageSocket.helperSide
    while let request = next(&socket) {
      let fault = answer(request, socket, make, keepsGlobals)
      guard socket.send(ValidationResponse.done(fault).record) else { break }
    }
    // `_exit`, because exit handlers of plugins may crash or hang.
    _exit(0)
  }

  private static func next(_ socket: inout MessageSocket) -> ValidationRequest? {
    try? socket.wait { reader throws(BinaryDecodingError) in try ValidationRequest(&reader) }
  }

  private static func answer(
    _ request: ValidationRequest, _ socket: MessageSocket, _ make: @escaping Maker,
    _ keepsGlobals: @escaping (PluginDescription) -> Bool
  ) -> String {
    switch request {
    case .runTests(let plugin, let properties, let tests):
      let testedPlugin = testedPlugin(plugin, socket) { plugin, configuration in
        let node = try make(plugin, configuration)
        for start in properties {
          try node.capabilities.properties?.setProperty(start.property, to: start.value)
        }
        return node
      }
      testedPlugin.keepsGlobals = { keepsGlobals(plugin) }
      for test in tests {
        guard socket.send(ValidationResponse.begun(test).record) else { break }
        let result = runTest(testedPlugin, test)
        guard socket.send(ValidationResponse.result(result).record) else { break }
        // No other test can run then.
        if result.severity == .unusable { break }
      }
      return ""
    case .time(let plugin, let lengths):
      do {
        let testedPlugin = testedPlugin(plugin, socket, make)
        testedPlugin.begin("while it was created")
        let bench = try testedPlugin.bench(
          maximumFrameCount: max(lengths.max() ?? 1, PluginUnderTest.maximumFrameCount))
        for length in lengths {
          testedPlugin.begin("with blocks of \(length) frame\(length == 1 ? "" : "s")")
          let timing = BlockTimer.measure(bench, frameCount: length)
          guard socket.send(ValidationResponse.timing(timing).record) else { break }
        }
        return ""
      } catch {
        return "\(error)"
      }
    }
  }

  private static func testedPlugin(
    _ plugin: PluginDescription, _ socket: MessageSocket, _ make: @escaping Maker
  ) -> PluginUnderTest {
    // Never freed, because a crash may come at any time.
    if let library = unsafe strdup(plugin.library) {
      unsafe crts_report_crashes(socket.descriptor, ValidationResponse.crashKind, library)
    }
    return PluginUnderTest(
      description: plugin, make: { try make(plugin, $0) },
      report: { _ = socket.send(ValidationResponse.situation($0).record) })
  }

  private static func runTest(
    _ testedPlugin: PluginUnderTest, _ test: ValidationTest
  ) -> TestResult {
    do {
      return try testRunner(test).runTest(testedPlugin)
    } catch {
      return TestResult(
        test, remarks: [TestMessage(.faulty, "The test failed: \(error)")])
    }
  }

  private static func testRunner(_ test: ValidationTest) -> any ValidationTestRunner.Type {
    switch test {
    case .basicUse: BasicUseTest.self
    case .lifecycle: LifecycleTest.self
    case .blocks: BlockLengthTest.self
    case .parameters: ParameterTest.self
    case .fullScale: FullScaleTest.self
    case .silence: SilenceTest.self
    case .notANumber: NaNInputTest.self
    case .midi: MIDITest.self
    case .sampleRates: SampleRateTest.self
    case .state: StateTest.self
    case .latency: LatencyTest.self
    case .realTime: RealTimeSafetyTest.self
    case .timing: TimingTest.self
    case .memory: MemoryTest.self
    case .sandbox: SandboxTest.self
    }
  }
}

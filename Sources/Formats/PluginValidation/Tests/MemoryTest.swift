// MemoryTest.swift: reads of uninitialised memory, and leaks. SPDX-License-Identifier: MIT

internal import PluginCatalogue
internal import PluginModel

/// Tests whether the output depends on uninitialised memory, and whether instances, saves, resets and activations
/// leak.
///
/// Each run is in a copy of the helper process, which has one thread and has run nothing else.
enum MemoryTest: ValidationTestRunner {
  static let test = ValidationTest.memory
  private static let blockFrames = 512
  /// The timeout of a run, in seconds.
  private static let limitSeconds = 8.0

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("with other bytes in memory it had not written")
    let configuration = NodeConfiguration(
      sampleRateHz: PluginUnderTest.sampleRateHz, maximumFrameCount: blockFrames, isOffline: true,
      hasConstantBlocks: true)
    let probe = MemoryProbe(
      frameCount: blockFrames, limitSeconds: limitSeconds,
      sendHeartbeat: { testedPlugin.sendHeartbeat() },
      load: { { try testedPlugin.make(configuration) } })
    var remarks: [TestMessage] = []
    if let read = probe.uninitialisedRead() {
      remarks.append(TestMessage(read.isFixedByClearing ? .note : .faulty, read.message(of: "It")))
    }
    var lost: UInt64 = 0
    for (occasion, leak) in try leaks(probe, testedPlugin) {
      if occasion == .instance { lost = leak.bytes }
      remarks.append(
        TestMessage(
          leak.isSerious(occasion) ? .faulty : .note,
          leak.message(of: "It", occasion, testedPlugin.description.format)))
    }
    return TestResult(
      test, remarks: remarks,
      measurements: [Measurement("leaked per instance", Double(lost), "bytes")])
  }

  private static func leaks(
    _ probe: MemoryProbe, _ testedPlugin: PluginUnderTest
  ) throws -> [(Leak.Occasion, Leak)] {
    testedPlugin.begin("while it was created and destroyed repeatedly")
    // A leak of an instance also shows in the other operations.
    var leaks = probe.leaksOfInstances()
    if !leaks.isEmpty { return leaks }
    testedPlugin.begin("while it was activated repeatedly")
    let activation = probe.leak { node in
      {
        node.deactivate()
        try? node.activate()
      }
    }
    testedPlugin.begin("while it was reset repeatedly")
    if let activation {
      leaks.append((.activation, activation))
    } else if let leak = probe.leak(of: { node in { node.reset() } }) {
      leaks.append((.reset, leak))
    }
    testedPlugin.begin("while its state was saved and restored repeatedly")
    if let leak = probe.leakOfSaves() ?? directoryLeak(probe) { leaks.append((.save, leak)) }
    return leaks
  }

  /// More than the leaks of the libraries that write and read state files.
  private static let minimumDirectoryBytes: UInt64 = 1 << 16

  /// Returns the leak of state in files, with the same limit.
  private static func directoryLeak(_ probe: MemoryProbe) -> Leak? {
    guard let root = TemporaryDirectory() else { return nil }
    var count = 0
    let leak = probe.leak { node in
      guard node.capabilities.state == nil, let node = node.capabilities.directoryState,
        node.hasState
      else { return nil }
      return {
        let directory = root.directory("save\(count)")
        count += 1
        guard (try? node.saveState(to: directory)) == true else { return }
        try? node.restoreState(from: directory)
      }
    }
    return leak.flatMap { $0.bytes >= minimumDirectoryBytes ? $0 : nil }
  }
}

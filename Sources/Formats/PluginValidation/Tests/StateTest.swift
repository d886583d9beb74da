// StateTest.swift: saving and restoring state. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel

/// Saves the state of an instance, restores it into a new one, and compares its saved state.
enum StateTest: ValidationTestRunner {
  static let test = ValidationTest.state

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("while its state was saved")
    let (remarks, bytes): ([TestMessage], Int?)
    // Modules first, because they can also receive damaged states.
    if let saved = try savedState(testedPlugin) {
      (remarks, bytes) = try inMemory(testedPlugin, saved)
    } else {
      let bench = try testedPlugin.bench()
      let capabilities = bench.node.capabilities
      guard capabilities.state == nil, let node = capabilities.directoryState else {
        return .notApplicable(test)
      }
      (remarks, bytes) = try DirectoryState(testedPlugin).runTest(bench, node)
    }
    guard let bytes else { return .notApplicable(test) }
    return TestResult(
      test, remarks: remarks, measurements: [Measurement("state", Double(bytes), "bytes")])
  }

  /// Sets non-default values and fills the signal state.
  static func randomizeState(_ bench: TestBench, _ testedPlugin: PluginUnderTest) {
    for (index, parameter) in testedPlugin.description.parameters.enumerated() {
      bench.node.setParameter(index, to: (parameter.minimum + parameter.maximum) / 2)
    }
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    bench.run(frames: 4_800, blocks: 256)
  }

  // MARK: - State as bytes

  /// Returns the state of an instance and destroys it, because some plugins support only one.
  private static func savedState(_ testedPlugin: PluginUnderTest) throws -> [UInt8]? {
    let bench = try testedPlugin.bench()
    guard let node = bench.node.capabilities.state else { return nil }
    randomizeState(bench, testedPlugin)
    testedPlugin.begin("while its state was saved")
    return node.save()
  }

  private static func inMemory(
    _ testedPlugin: PluginUnderTest, _ saved: [UInt8]
  ) throws -> ([TestMessage], Int?) {
    let (remarks, isTaken) = try restored(testedPlugin, saved)
    guard isTaken else { return (remarks, saved.count) }
    return (remarks + (try afterDamage(testedPlugin, saved)), saved.count)
  }

  /// Returns the faults of an instance with another one's state, and whether it accepted the state.
  private static func restored(
    _ testedPlugin: PluginUnderTest, _ saved: [UInt8]
  ) throws -> (remarks: [TestMessage], isTaken: Bool) {
    let other = try testedPlugin.bench()
    guard let otherState = other.node.capabilities.state else { return ([], false) }
    testedPlugin.begin("while its state was restored")
    do {
      try otherState.restore(saved)
    } catch {
      return ([TestMessage(.faulty, "It rejects the state that it saved (\(error)).")], false)
    }
    var remarks: [TestMessage] = []
    testedPlugin.begin("while a restored state was saved")
    if otherState.save() != saved {
      remarks.append(TestMessage(.faulty, "A restored state is different when it is saved again."))
    }
    var faults = FaultCollector()
    testedPlugin.begin("after its state was restored")
    other.signal = .noise(level: 0.25)
    other.run(frames: 4_800, blocks: 256)
    faults.add(other.seen, testedPlugin, "after its state was restored")
    return (remarks + faults.remarks, true)
  }

  /// A damaged state may be rejected or accepted, but must not cause other faults.
  private static func afterDamage(_ testedPlugin: PluginUnderTest, _ saved: [UInt8]) throws
    -> [TestMessage]
  {
    var faults = FaultCollector()
    for (name, bytes) in damaged(saved) {
      testedPlugin.begin("while a state that was \(name) was restored")
      let damagedBench = try testedPlugin.bench()
      try? damagedBench.node.capabilities.state?.restore(bytes)
      damagedBench.signal = .noise(level: 0.25)
      damagedBench.run(frames: 1_024, blocks: 256)
      let situation = "after a state that was \(name) was restored"
      // The host re-creates a node with such output, without the state.
      if !damagedBench.seen.isFinite {
        faults.add(.note, "`restore` accepts invalid data and its output is invalid", situation)
        (damagedBench.seen.notANumber, damagedBench.seen.infinite) = ([], [])
      }
      faults.add(damagedBench.seen, testedPlugin, situation)
    }
    return faults.remarks
  }

  private static func damaged(_ bytes: [UInt8]) -> [(String, [UInt8])] {
    [
      ("empty", []), ("cut short", Array(bytes.prefix(bytes.count / 2))),
      ("too long", bytes + bytes), ("garbled", bytes.map { $0 ^ 0xa5 }),
    ]
  }
}

/// Tests state in files, saved while another thread renders, as LV2 allows.
private struct DirectoryState {
  private static let savingCount = 10
  private let testedPlugin: PluginUnderTest

  init(_ testedPlugin: PluginUnderTest) { self.testedPlugin = testedPlugin }

  func runTest(
    _ bench: TestBench, _ node: any DirectoryStateNode
  ) throws -> ([TestMessage], Int?) {
    StateTest.randomizeState(bench, testedPlugin)
    guard let root = TemporaryDirectory() else { return ([], nil) }
    testedPlugin.begin("while its state was saved")
    let first = root.directory("first")
    guard try node.saveState(to: first) else { return ([], nil) }
    try saveWhileRendering(bench, node, root)
    let other = try testedPlugin.bench()
    guard let otherState = other.node.capabilities.directoryState else { return ([], nil) }
    testedPlugin.begin("while its state was restored")
    do {
      try otherState.restoreState(from: first)
    } catch {
      return ([TestMessage(.faulty, "It rejects the state that it saved (\(error)).")], 0)
    }
    var faults = FaultCollector()
    testedPlugin.begin("after its state was restored")
    other.signal = .noise(level: 0.25)
    other.run(frames: 4_800, blocks: 256)
    faults.add(other.seen, testedPlugin, "after its state was restored")
    testedPlugin.begin("while a restored state was saved")
    let second = root.directory("second")
    _ = try otherState.saveState(to: second)
    var remarks = faults.remarks
    let (one, two) = (TemporaryDirectory.content(of: first), TemporaryDirectory.content(of: second))
    if one != two {
      remarks.append(TestMessage(.note, "A restored state is different when it is saved again."))
    }
    return (remarks, one.reduce(0) { $0 + $1.size })
  }

  private func saveWhileRendering(
    _ bench: TestBench, _ node: any DirectoryStateNode, _ root: TemporaryDirectory
  ) throws {
    testedPlugin.begin("while its state was saved and it rendered")
    let thread = RenderThread(bench)
    defer { thread.stop() }
    for index in 0 ..< Self.savingCount {
      _ = try node.saveState(to: root.directory("busy\(index)"))
    }
  }
}

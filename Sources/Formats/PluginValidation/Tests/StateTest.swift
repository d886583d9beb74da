// StateTest.swift: saving and restoring state. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel

/// Saves the state of an instance, restores it into a new one, and compares its saved state.
enum StateTest: ValidationTestRunner {
  static let examination = ValidationTest.state

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    specimen.begin("while its state was saved")
    let (remarks, bytes): ([TestMessage], Int?)
    // Modules first, because they can also receive damaged states.
    if let saved = try savedState(specimen) {
      (remarks, bytes) = try inMemory(specimen, saved)
    } else {
      let bench = try specimen.bench()
      let capabilities = bench.node.capabilities
      guard capabilities.state == nil, let node = capabilities.directoryState else {
        return .notApplicable(examination)
      }
      (remarks, bytes) = try DirectoryState(specimen).examine(bench, node)
    }
    guard let bytes else { return .notApplicable(examination) }
    return TestResult(
      examination, remarks: remarks, measurements: [Measurement("state", Double(bytes), "bytes")])
  }

  /// Sets non-default values and fills the signal state.
  static func randomizeState(_ bench: TestBench, _ specimen: PluginUnderTest) {
    for (index, parameter) in specimen.description.parameters.enumerated() {
      bench.node.setParameter(index, to: (parameter.minimum + parameter.maximum) / 2)
    }
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    bench.run(frames: 4_800, blocks: 256)
  }

  // MARK: - State as bytes

  /// Returns the state of an instance and destroys it, because some plugins support only one.
  private static func savedState(_ specimen: PluginUnderTest) throws -> [UInt8]? {
    let bench = try specimen.bench()
    guard let node = bench.node.capabilities.state else { return nil }
    randomizeState(bench, specimen)
    specimen.begin("while its state was saved")
    return node.save()
  }

  private static func inMemory(
    _ specimen: PluginUnderTest, _ saved: [UInt8]
  ) throws -> ([TestMessage], Int?) {
    let (remarks, isTaken) = try restored(specimen, saved)
    guard isTaken else { return (remarks, saved.count) }
    return (remarks + (try afterDamage(specimen, saved)), saved.count)
  }

  /// Returns the faults of an instance with another one's state, and whether it accepted the state.
  private static func restored(
    _ specimen: PluginUnderTest, _ saved: [UInt8]
  ) throws -> (remarks: [TestMessage], isTaken: Bool) {
    let other = try specimen.bench()
    guard let fresh = other.node.capabilities.state else { return ([], false) }
    specimen.begin("while its state was restored")
    do {
      try fresh.restore(saved)
    } catch {
      return ([TestMessage(.faulty, "It rejects the state that it saved (\(error)).")], false)
    }
    var remarks: [TestMessage] = []
    specimen.begin("while a restored state was saved")
    if fresh.save() != saved {
      remarks.append(TestMessage(.faulty, "A restored state is different when it is saved again."))
    }
    var findings = FaultCollector()
    specimen.begin("after its state was restored")
    other.signal = .noise(level: 0.25)
    other.run(frames: 4_800, blocks: 256)
    findings.add(other.seen, specimen, "after its state was restored")
    return (remarks + findings.remarks, true)
  }

  /// A damaged state may be rejected or accepted, but must not cause other faults.
  private static func afterDamage(_ specimen: PluginUnderTest, _ saved: [UInt8]) throws
    -> [TestMessage]
  {
    var findings = FaultCollector()
    for (name, bytes) in damaged(saved) {
      specimen.begin("while a state that was \(name) was restored")
      let victim = try specimen.bench()
      try? victim.node.capabilities.state?.restore(bytes)
      victim.signal = .noise(level: 0.25)
      victim.run(frames: 1_024, blocks: 256)
      let situation = "after a state that was \(name) was restored"
      // The host re-creates a node with such output, without the state.
      if !victim.seen.isFinite {
        findings.add(.note, "`restore` accepts invalid data and its output is invalid", situation)
        (victim.seen.notANumber, victim.seen.infinite) = ([], [])
      }
      findings.add(victim.seen, specimen, situation)
    }
    return findings.remarks
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
  private let specimen: PluginUnderTest

  init(_ specimen: PluginUnderTest) { self.specimen = specimen }

  func examine(
    _ bench: TestBench, _ node: any DirectoryStateNode
  ) throws -> ([TestMessage], Int?) {
    StateTest.randomizeState(bench, specimen)
    guard let root = TemporaryDirectory() else { return ([], nil) }
    specimen.begin("while its state was saved")
    let first = root.directory("first")
    guard try node.saveState(to: first) else { return ([], nil) }
    try saveWhileRendering(bench, node, root)
    let other = try specimen.bench()
    guard let fresh = other.node.capabilities.directoryState else { return ([], nil) }
    specimen.begin("while its state was restored")
    do {
      try fresh.restoreState(from: first)
    } catch {
      return ([TestMessage(.faulty, "It rejects the state that it saved (\(error)).")], 0)
    }
    var findings = FaultCollector()
    specimen.begin("after its state was restored")
    other.signal = .noise(level: 0.25)
    other.run(frames: 4_800, blocks: 256)
    findings.add(other.seen, specimen, "after its state was restored")
    specimen.begin("while a restored state was saved")
    let second = root.directory("second")
    _ = try fresh.saveState(to: second)
    var remarks = findings.remarks
    let (one, two) = (TemporaryDirectory.content(of: first), TemporaryDirectory.content(of: second))
    if one != two {
      remarks.append(TestMessage(.note, "A restored state is different when it is saved again."))
    }
    return (remarks, one.reduce(0) { $0 + $1.size })
  }

  private func saveWhileRendering(
    _ bench: TestBench, _ node: any DirectoryStateNode, _ root: TemporaryDirectory
  ) throws {
    specimen.begin("while its state was saved and it rendered")
    let thread = RenderThread(bench)
    defer { thread.stop() }
    for index in 0 ..< Self.savingCount {
      _ = try node.saveState(to: root.directory("busy\(index)"))
    }
  }
}

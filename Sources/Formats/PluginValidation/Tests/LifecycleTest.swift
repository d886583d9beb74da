// LifecycleTest.swift: repeated creation and destruction. SPDX-License-Identifier: MIT

internal import PluginModel

/// Runs instances through every legal order of calls.
enum LifecycleTest: ValidationTestRunner {
  static let examination = ValidationTest.lifecycle
  private static let blockFrames = 256
  private static let lifeCount = 4

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    var findings = FaultCollector()
    specimen.begin("while it was created")
    var first: TestBench? = try specimen.bench()
    if let first { play(first, specimen, &findings) }
    if specimen.keepsGlobals() {
      findings.add(.note, globals, "")
    }
    specimen.begin("while a second instance was created")
    let second: TestBench
    do {
      second = try specimen.bench()
    } catch {
      // A plugin that supports one instance is used with one instance.
      first = nil
      findings.add(.note, single, "")
      try repeatLife(specimen, &findings)
      return TestResult(examination, remarks: findings.remarks)
    }
    specimen.begin("with two instances")
    for _ in 0 ..< lifeCount {
      first?.run(blockFrames)
      second.run(blockFrames)
    }
    specimen.begin("while one of two instances was destroyed")
    first = nil
    specimen.begin("after another instance was destroyed")
    play(second, specimen, &findings)
    try repeatLife(specimen, &findings)
    return TestResult(examination, remarks: findings.remarks)
  }

  private static let globals =
    "It keeps state in global variables, so each node gets a copy of the library"
  private static let single =
    "It rejects a second instance while one exists, so a graph can have only one node of it, with one"
    + " channel layout; to allow more, keep state in memory from `create`, not in global variables"

  private static func repeatLife(_ specimen: PluginUnderTest, _ findings: inout FaultCollector)
    throws
  {
    for _ in 0 ..< lifeCount {
      specimen.begin("while it was created and destroyed repeatedly")
      let bench = try specimen.bench()
      bench.run(blockFrames)
    }
    specimen.begin("while it was destroyed without having rendered")
    _ = try specimen.bench()
    let changes = ForeignCode.changes(by: specimen.description.name)
    if !changes.isEmpty {
      findings.add(
        .note, "It changes \(changes.text) of the process,", "which the host restores")
    }
  }

  private static func play(
    _ bench: TestBench, _ specimen: PluginUnderTest, _ findings: inout FaultCollector
  ) {
    func render(_ situation: String) {
      specimen.begin(situation)
      bench.seen = OutputStatistics()
      bench.signal = .noise(level: 0.25)
      bench.playNotes()
      bench.run(frames: 8 * blockFrames, blocks: blockFrames)
      findings.add(bench.seen, specimen, situation)
    }
    render("while it rendered")
    specimen.begin("while it was reset")
    bench.node.reset()
    render("after a reset")
    specimen.begin("while it was deactivated")
    bench.node.deactivate()
    specimen.begin("while it was activated again")
    do {
      try bench.node.activate()
      render("after it was activated again")
    } catch {
      findings.add(.faulty, "It cannot be activated again", "(\(error))")
    }
  }
}

// LifecycleTest.swift: repeated creation and destruction. SPDX-License-Identifier: MIT

internal import PluginModel

/// Runs instances through every legal order of calls.
enum LifecycleTest: ValidationTestRunner {
  static let test = ValidationTest.lifecycle
  private static let blockFrames = 256
  private static let lifeCount = 4

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    var faults = FaultCollector()
    testedPlugin.begin("while it was created")
    var first: TestBench? = try testedPlugin.bench()
    if let first { play(first, testedPlugin, &faults) }
    if testedPlugin.keepsGlobals() {
      faults.add(.note, globals, "")
    }
    testedPlugin.begin("while a second instance was created")
    let second: TestBench
    do {
      second = try testedPlugin.bench()
    } catch {
      // A plugin that supports one instance is used with one instance.
      first = nil
      faults.add(.note, single, "")
      try repeatLife(testedPlugin, &faults)
      return TestResult(test, remarks: faults.remarks)
    }
    testedPlugin.begin("with two instances")
    for _ in 0 ..< lifeCount {
      first?.run(blockFrames)
      second.run(blockFrames)
    }
    testedPlugin.begin("while one of two instances was destroyed")
    first = nil
    testedPlugin.begin("after another instance was destroyed")
    play(second, testedPlugin, &faults)
    try repeatLife(testedPlugin, &faults)
    return TestResult(test, remarks: faults.remarks)
  }

  private static let globals =
    "It keeps state in global variables, so each node gets a copy of the library"
  private static let single =
    "It rejects a second instance while one exists, so a graph can have only one node of it, with one"
    + " channel layout; to allow more, keep state in memory from `create`, not in global variables"

  private static func repeatLife(_ testedPlugin: PluginUnderTest, _ faults: inout FaultCollector)
    throws
  {
    for _ in 0 ..< lifeCount {
      testedPlugin.begin("while it was created and destroyed repeatedly")
      let bench = try testedPlugin.bench()
      bench.run(blockFrames)
    }
    testedPlugin.begin("while it was destroyed without having rendered")
    _ = try testedPlugin.bench()
    let changes = ForeignCode.changes(by: testedPlugin.description.name)
    if !changes.isEmpty {
      faults.add(
        .note, "It changes \(changes.text) of the process,", "which the host restores")
    }
  }

  private static func play(
    _ bench: TestBench, _ testedPlugin: PluginUnderTest, _ faults: inout FaultCollector
  ) {
    func render(_ situation: String) {
      testedPlugin.begin(situation)
      bench.seen = OutputStatistics()
      bench.signal = .noise(level: 0.25)
      bench.playNotes()
      bench.run(frames: 8 * blockFrames, blocks: blockFrames)
      faults.add(bench.seen, testedPlugin, situation)
    }
    render("while it rendered")
    testedPlugin.begin("while it was reset")
    bench.node.reset()
    render("after a reset")
    testedPlugin.begin("while it was deactivated")
    bench.node.deactivate()
    testedPlugin.begin("while it was activated again")
    do {
      try bench.node.activate()
      render("after it was activated again")
    } catch {
      faults.add(.faulty, "It cannot be activated again", "(\(error))")
    }
  }
}

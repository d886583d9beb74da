// FaultCollector.swift: combines equal faults into one message. SPDX-License-Identifier: MIT

/// The faults of a test.
///
/// Each is reported once, with its first situation and the number of repetitions.
struct FaultCollector {
  private struct FaultGroup {
    let severity: Severity
    /// The message without a full stop.
    let text: String
    let situation: String
    var otherCount = 0
  }

  private var faults: [FaultGroup] = []

  /// Adds a fault in a situation, for example `with blocks of 7 frames`; empty for no situation.
  mutating func add(_ severity: Severity, _ text: String, _ situation: String) {
    if let known = faults.firstIndex(where: { $0.text == text }) {
      faults[known].otherCount += 1
    } else {
      faults.append(FaultGroup(severity: severity, text: text, situation: situation))
    }
  }

  /// Adds the channel faults of a bench.
  mutating func add(_ seen: OutputStatistics, _ testedPlugin: PluginUnderTest, _ situation: String)
  {
    func add(_ channels: Set<Int>, _ text: (Set<Int>) -> String) {
      if !channels.isEmpty { self.add(.faulty, text(channels), situation) }
    }
    add(seen.overrunOutputs) { "It writes outside the block to \(testedPlugin.outputs($0))" }
    add(seen.overrunInputs) { "It writes outside the block to \(testedPlugin.inputs($0))" }
    add(seen.changedInputs) { "It writes to \(testedPlugin.inputs($0))" }
    add(seen.unwrittenOutputs) { "It leaves frames of \(testedPlugin.outputs($0)) unwritten" }
    add(seen.notANumber) { "It outputs NaN at \(testedPlugin.outputs($0))" }
    add(seen.infinite) { "It outputs infinity at \(testedPlugin.outputs($0))" }
  }

  /// One message per fault.
  var remarks: [TestMessage] {
    faults.map { fault in
      let others = fault.otherCount
      let more = others == 0 ? "" : ", and \(others == 1 ? "once" : "\(others) times") more"
      let situation = fault.situation.isEmpty ? "" : " \(fault.situation)"
      return TestMessage(fault.severity, "\(fault.text)\(situation)\(more).")
    }
  }
}

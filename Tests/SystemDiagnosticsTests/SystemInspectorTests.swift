// SystemInspectorTests.swift: all checks together. SPDX-License-Identifier: MIT

import SystemDiagnostics
import Testing

@Suite struct `A machine` {
  @Test func `that is prepared for audio is good in every respect`() throws {
    let checks = try Tree().checks()
    let others = checks.filter { $0.state != .ok }
    #expect(others == [])
    #expect(checks.count == 18)
    #expect(Set(checks.map(\.id)).count == checks.count)
  }

  @Test func `needs no action if it is good, and every reason is a sentence`() throws {
    let tree = try Tree()
    try tree.addUSBCard()
    try tree.write("/proc/device-tree/model", "Raspberry Pi 5 Model B\0")
    for check in tree.checks() {
      if check.state == .ok { #expect(check.commands == [] && check.advice == nil, "\(check)") }
      for text in [check.reason, check.found, check.advice ?? "."] {
        #expect(text.hasSuffix("."), "\(check)")
      }
    }
  }

  @Test func `without readable data is unknown, not an error`() {
    let empty = SystemInspector(files: SystemFiles(root: "/nowhere"), facts: ProcessPrivileges()) {
      _ in []
    }
    let states = Dictionary(uniqueKeysWithValues: empty.checks().map { ($0.id, $0.state) })
    #expect(states["cards"] == .error)
    for id in ["permission", "holders", "preemption", "budget", "clock", "heat", "cores"] {
      #expect(states[id] == .unknown, "\(id)")
    }
  }

  @Test func `of this machine can be inspected`() {
    let facts = ProcessPrivileges.current()
    let checks = SystemInspector(facts: facts) { _ in [] }.checks()
    #expect(
      checks.first { $0.id == "realtime" }?.state == (facts.schedulingError == 0 ? .ok : .error))
    #expect(checks.first { $0.id == "cores" }?.state != .unknown)
  }
}

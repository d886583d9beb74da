// CrashReporterTests.swift: reports of crashes with the plugin's name. SPDX-License-Identifier: MIT

import Dispatch
import RigTestSupport
import Testing

@testable import Session

@Suite struct CrashReporterTests {
  @Test func `rigs are named by several threads at once`() async {
    // In a separate process, which crashes on a double free.
    await #expect(processExitsWith: .success) {
      let workshop = try RigTestEnvironment(modules: ["gain", "reverb"])
      let rigs = try ["gain", "reverb"].map { module in
        let text = "nodes: {a: {plugin: outboard.\(module)}}\nconnections: [in -> a -> out]"
        return try PreparedRig(workshop.rig(text), workshop.library)
      }
      // Readable, but not writable.
      nonisolated(unsafe) let library = workshop.library
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for turn in 0 ..< 2_000 {
          var words = CrashReporter()
          words.follow(rigs[(thread + turn) % 2], library)
        }
      }
    }
  }
}

// CrashWordsTests.swift: who is told whose code a crash was in. SPDX-License-Identifier: MIT

import Dispatch
import RigTestSupport
import Testing

@testable import Session

@Suite struct CrashWordsTests {
  @Test func `rigs are named by several threads at once`() throws {
    let workshop = try Workshop(modules: ["gain", "reverb"])
    let texts = ["gain", "reverb"].map {
      "nodes: {a: {plugin: outboard.\($0)}}\nconnections: [in -> a -> out]"
    }
    let rigs = try texts.map {
      try PreparedRig(workshop.rig($0), workshop.library)
    }
    // Read, and no more.
    nonisolated(unsafe) let library = workshop.library
    // What is named last stays; none of the others may be freed twice.
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for turn in 0 ..< 2_000 {
        var words = CrashWords()
        words.follow(rigs[(thread + turn) % 2], library)
      }
    }
  }
}

// DOTWriterTests.swift: output for Graphviz. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import Testing

@testable import RigPlanning
@testable import RigSchema

@Suite struct DOTWriterTests {
  @Test func `nodes, instances and parallel channels are drawn once each`() throws {
    var rig = try rig([mono("gate"), stereo("verb")], "in -> gate -> verb", "verb -> out")
    rig.connections[2].gainDecibels = -6
    rig.nodes[1].isolation = .group("band")
    var plugins = [mono("gate"), stereo("verb")]
    plugins[1].name = "Big Reverb"
    let plan = try plan(rig, plugins, 2, 2)
    #expect(
      DOTWriter.dot(plan, name: "Voice") == """
        digraph "Voice" {
          rankdir=LR;
          node [shape=box];
          in [shape=cds];
          out [shape=cds];
          n0 [label="gate × 2"];
          n1 [label="verb\\nBig Reverb\\nisolated: band", style=dashed];
          in -> n0 [label="1→1 2→2"];
          n0 -> n1 [label="1→1 2→2"];
          n1 -> out [label="1→1 2→2\\n-6.0 dB"];
        }
        """)
  }

  @Test(arguments: [
    ("plain", "\"plain\""), ("say \"ah\"", "\"say \\\"ah\\\"\""), ("back\\", "\"back\\\\\""),
    ("\\\"", "\"\\\\\\\"\""), ("two\nlines", "\"two\\nlines\""), ("tab\u{7}", "\"tab \""),
    ("{a|b}<c>", "\"{a|b}<c>\""), ("音 é 🎸", "\"音 é 🎸\""), ("", "\"\""),
  ])
  func `an unusual name is quoted and reads back unchanged`(name: String, quoted: String) throws {
    let dot = DOTWriter.dot(try plan([stereo("a")], "in -> a", inputs: 2, outputs: 0), name: name)
    #expect(dot.hasPrefix("digraph \(quoted) {\n"))
  }

  @Test func `a connection at minus infinity is drawn with its gain`() throws {
    var rig = try rig([stereo("a")], "in -> a")
    rig.connections[0].gainDecibels = -.infinity
    let dot = DOTWriter.dot(try plan(rig, [stereo("a")], 2, 0), name: "")
    #expect(dot.contains("in -> n0 [label=\"1→1 2→2\\n-inf dB\"];"))
    #expect(!dot.contains("out"))
  }
}

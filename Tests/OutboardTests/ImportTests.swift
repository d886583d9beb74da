// ImportTests.swift: `outboard import`. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Projects of other hosts are imported` {
  private static let commands = """
    add http://lv2plug.in/plugins/eg-amp 0
    param_set 0 gain -6
    connect system:capture_1 effect_0:in
    connect effect_0:out system:playback_1
    """
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory(lv2: "/usr/lib/lv2")
    try scratch.write(Self.commands, to: "chain.txt")
  }

  @Test func `wrong requests are refused, and nothing is overwritten`() throws {
    try scratch.write("kept", to: "rig.yaml")
    try scratch.write("words", to: "words")
    for (arguments, message) in [
      (["gone"], "gone: no such file."),
      (
        ["words"],
        "words is not a project that Outboard can import. It imports projects and presets of Carla, LV2,"
          + " mod-host, MOD, EasyEffects, PipeWire and ecasound."
      ),
      (
        ["chain.txt", "-o", "rig.yaml"],
        "rig.yaml already exists. Choose another name or use --force."
      ),
    ] {
      try expectFailure(["import"] + arguments, in: scratch, message)
    }
    #expect(try scratch.data("rig.yaml") == Data("kept".utf8))
  }

  @Test(.enabled(if: InstalledBundles.exist(["eg-amp.lv2"])))
  func `the rig sounds like the project`() throws {
    try scratch.addTone("in.wav", channels: 1)
    let printed = try expectSuccess(["import", "chain.txt"], in: scratch)
    try expectSuccess(["import", "chain.txt", "-o", "rig.yaml"], in: scratch)
    #expect(try scratch.data("rig.yaml") == printed.output)
    let result = try Program.run(
      [
        "compare", "rig.yaml", "http://lv2plug.in/plugins/eg-amp gain=-6", "-i", "in.wav",
        "--tolerance", "exact",
      ], in: scratch)
    #expect(result.status == 0, "\(result.text)\(result.error)")
    try expectSuccess(["import", "chain.txt", "-o", "rig.yaml", "--force", "--json"], in: scratch)
  }
}

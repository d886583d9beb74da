// SourceMessageTests.swift: messages about refused sources. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginCatalogue
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct SourceMessageTests {
  @Test func `undeclared parameter counts are not attributed to a manifest`() throws {
    let workshop = try RigTestEnvironment()
    let kernel = """
      #include <outboard/tick.h>
      typedef struct { float gain; } Gain;
      static void set(Gain *g, const float *p) { g->gain = p[0] * p[1]; }
      static float tick(Gain *g, float x) { return g->gain * x; }
      OUTBOARD_TICK(Gain, 2, 2, outboard_none, set, tick)
      """
    let bare = try workshop.library.find(try workshop.write(kernel, as: "bare.c"))
    let refusal = try #require(workshop.library.preflightError(of: bare))
    #expect(refusal.contains("the code has 2 parameters, and nothing declares them."), "\(refusal)")
    #expect(!refusal.contains("its manifest has"), "\(refusal)")
    let statement = try workshop.library.find(
      try workshop.write("// outboard: inputs: 1, outputs: 2\n" + kernel, as: "said.c"))
    let half = try #require(workshop.library.preflightError(of: statement))
    #expect(half.contains("the code has 2 inputs, but its manifest has 1, and"), "\(half)")
    #expect(half.contains("2 parameters, and nothing declares them."), "\(half)")
  }

  @Test func `a source with a fixed rate reports it, and a failure at another rate is explained`()
    throws
  {
    let text = try String(
      contentsOf: Fixture.sources.appending(path: "rate_bound/module.c"), encoding: .utf8)
    let workshop = try RigTestEnvironment()
    let plain = try workshop.write("// outboard: inputs: 1, outputs: 1\n" + text, as: "plain.c")
    let plugin = try workshop.library.find(plain)
    let conditions = Preflight.Conditions(sampleRateHz: 44_100, maximumFrameCount: 256)
    let refusal = workshop.library.preflightError(of: plugin, at: conditions)
    #expect(
      refusal?.hasSuffix(
        "Declare `rate: 48000` and `block: {fixed: 480}` in its manifest. The manifest is the comment that"
          + " starts with `// outboard:`.") == true, "\(refusal ?? "none")")
    let bound = try workshop.write(
      "// outboard: inputs: 1, outputs: 1, rate: 48000, block: {fixed: 480}\n" + text, as: "bound.c"
    )
    let declared = try workshop.library.find(bound)
    #expect(workshop.library.preflightError(of: declared, at: conditions) == nil)
  }
}

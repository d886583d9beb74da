// OwnModuleTests.swift: creating, adding, removing and reloading a user's modules. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A user's own modules` {
  private let scratch: TemporaryDirectory
  private let amp = """
    // amp.c: makes it louder.
    //
    // outboard:
    //   id: me.amp
    //   parameters: [{symbol: gain, name: Gain, minimum: 0, default: 1, maximum: 4}]
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = p[0] * in[c][i];
    }
    """

  init() throws { scratch = try TemporaryDirectory() }

  private func refuses(
    _ arguments: [String], _ status: Int32, _ message: String
  ) throws {
    let result = try Program.run(arguments, in: scratch)
    #expect(result.error.contains("outboard: \(message)"))
    #expect(result.status == status)
  }

  @Test func `a source is added, listed, played by its id, and removed`() throws {
    try scratch.write(amp, to: "amp.c")
    let added = try Program.run(["install", "amp.c"], in: scratch)
    #expect(added.status == 0)
    #expect(added.text.hasPrefix("amp (me.amp): ok\n"))
    #expect(
      added.text.hasSuffix("amp is installed as me.amp. Run it with `outboard run me.amp`.\n"))
    let listed = try Program.run(["list", "amp", "--kind", "module"], in: scratch)
    #expect(listed.text.squeezed.contains("ok me.amp"))
    try scratch.addTone()
    let rendered = try Program.run(
      ["render", "me.amp", "gain=2", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(rendered.status == 0)
    try refuses(
      ["install", "amp.c"], 2,
      "amp (me.amp) is already installed. Use --force to replace it, or set another `id:` to"
        + " keep both.")
    #expect(try Program.run(["install", "amp.c", "--force"], in: scratch).status == 0)
    let removed = try Program.run(["uninstall", "Amp"], in: scratch)
    #expect(removed.text == "amp (me.amp) is uninstalled.\n")
    #expect(try !scratch.files().contains("me.amp"))
    try refuses(["uninstall", "me.amp"], 2, "No such installed module: me.amp. None is installed.")
  }

  @Test func `a module with a faulty check is added only with --force`() throws {
    try scratch.write(
      amp.replacing("for (int c", with: "kept = malloc(100); free(kept);\n  for (int c")
        .replacing(
          "void process", with: "#include <stdlib.h>\nstatic void *volatile kept;\nvoid process"),
      to: "amp.c")
    let refused = try Program.run(["install", "amp.c"], in: scratch)
    #expect(refused.status == 1)
    #expect(
      refused.error
        == "outboard: amp was not installed: it is not real-time safe. Fix it, or use --force.\n")
    #expect(
      try Program.run(["list", "amp", "--kind", "module"], in: scratch).text.contains("me.amp")
        == false)
    #expect(try Program.run(["install", "amp.c", "--force"], in: scratch).status == 0)
  }

  @Test func `a module that crashes is not added, even with --force`() throws {
    try scratch.write(amp.replacing("out[c][i] =", with: "out[c][i + 100000000] ="), to: "amp.c")
    try refuses(
      ["install", "amp.c", "--force"], 2,
      "amp crashed (signal 11, segmentation fault) while it ran (in amp.c:")
  }

  @Test func `a missing file and one that is not a module are refused`() throws {
    try refuses(
      ["install", "gain"], 2,
      "gain is not the path of a source or a library. For a file in this directory write ./gain.")
    try refuses(
      ["install", "./amp.c"], 2,
      "./amp.c: no such file.")
  }

  @Test(
    arguments: [
      ["--c"], ["--cpp"], ["--swift"], ["--template", "vst2"], ["--template", "au"],
      ["--template", "juce"],
      ["--template", "ladspa"],
    ])
  func `a new source compiles and plays, under its own name`(flags: [String]) throws {
    let written = try Program.run(["new", "swell"] + flags, in: scratch)
    #expect(written.status == 0)
    let file = try #require(scratch.files().first { $0.hasPrefix("swell.") })
    #expect(written.text.hasPrefix("Created \(file). "))
    let text = String(decoding: try scratch.data(file), as: UTF8.self)
    #expect(text.contains("Swell: ") && text.contains(file))
    #expect(!text.contains("Effect.") && !text.contains("Effect "))
    try scratch.addTone()
    let rendered = try Program.run(["render", file, "-i", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(rendered.status == 0)
    #expect(rendered.error == "")
    let taken = try Program.run(["new", "swell"] + flags, in: scratch)
    #expect(
      taken.error == "outboard: \(file) already exists. Choose another name or use --force.\n")
    #expect(taken.status == 2)
  }

  @Test func `a name for a source must be valid in every language`() throws {
    try refuses(
      ["new", "1x"], 2,
      "\"1x\" is not a valid name. Use letters, digits and \"_\", starting with a letter."
    )
    try refuses(
      ["new", "x.cpp"], 2, "Write the name without extension: `outboard new x --cpp`.")
    try refuses(
      ["new", "x", "--swift", "--template", "ladspa"], 2,
      "The ladspa template is C. Remove --swift.")
  }

  @Test func `a source is reloaded when it is saved, and its state is part of a saved rig`() throws
  {
    let source = """
      // outboard: inputs: 0, outputs: 2
      #include <stdlib.h>
      #include <string.h>
      void *create(double rate, unsigned longest) { return calloc(1, sizeof(int)); }
      void destroy(void *state) { free(state); }
      unsigned save(const void *state, void *bytes, unsigned capacity) {
        if (capacity >= sizeof(int)) memcpy(bytes, state, sizeof(int));
        return sizeof(int);
      }
      int restore(void *state, const void *bytes, unsigned count) {
        if (count == sizeof(int)) memcpy(state, bytes, count);
        return count != sizeof(int);
      }
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        if (*(int *)state < 1000) ++*(int *)state;
        for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = *(int *)state * 1e-6f;
      }
      """
    try scratch.write(source, to: "count.c")
    let result = try Program.shell(
      """
      "$OUTBOARD" run count.c --out null --duration 60 2>log &
      until grep -q Ctrl-C log || grep -q 'out  null' log; do sleep 0.05; done
      sed -i 's/1e-6f/2e-6f/' count.c
      until grep -q 'Reloaded .*count.c' log; do sleep 0.05; done
      until "$OUTBOARD" save kept.yaml; do sleep 0.05; done
      kill -TERM $!; wait $!
      cat kept.yaml; ls -R kept.state
      """, in: scratch)
    #expect(result.text.contains("state: kept.state/1-count"))
    #expect(result.text.contains("state.bin"))
    let rendered = try Program.run(
      ["render", "--rig", "kept.yaml", "--duration", "0.1", "-o", "out.wav"], in: scratch)
    #expect(rendered.error == "")
    #expect(rendered.status == 0)
    try FileManager.default.removeItem(atPath: scratch.path("kept.state/1-count/state.bin"))
    let lost = try Program.run(["check", "kept.yaml"], in: scratch)
    #expect(lost.status == 2)
    #expect(
      lost.text.contains("contains no state of a module: it has no state.bin")
        || lost.error.contains("contains no state of a module: it has no state.bin"))
  }
}

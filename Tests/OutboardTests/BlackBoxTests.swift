// BlackBoxTests.swift: `outboard black-box` and `run --black-box`. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `The black box` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func start(_ arguments: String...) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--out", "null", "--duration", "200"] + arguments, in: scratch)
    let deadline = Deadline()
    while running.process.isRunning, try Program.run(["status"], in: scratch).text.isEmpty {
      try deadline.rest(0.1)
    }
    try #require(running.process.isRunning, "it ended by itself")
    return running
  }

  private func report(_ directory: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: scratch.data("\(directory)/report.json"))
    return try #require(object as? [String: Any])
  }

  @Test func `is written on request, once for each name`() throws {
    let running = try start("outboard.oscillator", "level=-20")
    var written = try Program.run(["black-box", "box"], in: scratch)
    // It may not have rendered anything yet.
    while written.error.contains("No audio has been rendered yet") {
      written = try Program.run(["black-box", "box"], in: scratch)
    }
    #expect(written.status == 0 && written.text == "box: saved.\n", "\(written.error)")
    for (arguments, message) in [
      (["black-box", "box"], "/box already exists. Choose another name."),
      (["black-box", "no-such/box"], "/no-such. Create it first."),
    ] {
      let refused = try Program.run(arguments, in: scratch)
      #expect(refused.status == 1 && refused.error.contains(message), "\(refused.error)")
    }
    running.process.terminate()
    #expect(try running.finish().status == 0)

    let sound = try #require(scratch.samples("box/output.wav"))
    #expect(sound.count == 2)
    let peak = sound[0].suffix(4_800).map(abs).max() ?? 0
    #expect(abs(20 * log10(peak) + 20) < 0.1, "\(peak)")
    let lines = String(decoding: try scratch.data("box/blocks.csv"), as: UTF8.self).split(
      separator: "\n")
    #expect(lines.count > 1 && lines[0].hasPrefix("seconds,frame,frames,load_percent"))
    #expect(try report("box")["reason"] as? String == "asked")
    #expect(try Program.run(["check", "box/rig.yaml"], in: scratch).status == 0)
  }

  @Test func `names the files of a rig in the working directory absolutely`() throws {
    try scratch.addTone()
    try scratch.write(
      """
      outboard: 1
      output: {device: "null", channels: 1}
      nodes: {tape: {builtin: player, file: in.wav, loop: true}}
      connections: [tape -> out]
      """, to: "rig.yaml")
    let running = try start("--rig", "rig.yaml")
    while try Program.run(["black-box", "box"], in: scratch).error.contains("No audio") {}
    running.process.terminate()
    #expect(try running.finish().status == 0)
    let checked = try Program.run(["check", "box/rig.yaml"], in: scratch)
    #expect(checked.status == 0, "\(checked.error)")
  }

  @Test func `is written automatically when a plugin fails`() throws {
    try scratch.write(
      """
      // outboard:
      //   inputs: 2
      //   outputs: 2
      //   parameters: [{symbol: bad, name: Bad, minimum: 0, default: 0, maximum: 1}]
      void process(void *state, const float *const *in, float *const *out, const float *values,
                   unsigned frames) {
        (void)state;
        for (int c = 0; c < 2; c++)
          for (unsigned i = 0; i < frames; i++)
            out[c][i] = values[0] > 0.5f ? in[c][i] / 0.0f : in[c][i];
      }
      """, to: "ill.c")
    let running = try start(
      "--skip-preflight", "--black-box", "boxes", "outboard.oscillator", "ill.c")
    #expect(try Program.run(["set", "ill", "bad=1"], in: scratch).status == 0)
    let boxes = scratch.directory.appending(path: "boxes").path
    var found: [String] = []
    let deadline = Deadline()
    while found.isEmpty, running.process.isRunning {
      try deadline.rest(0.1)
      found = ((try? FileManager.default.contentsOfDirectory(atPath: boxes)) ?? [])
        .filter { !$0.hasSuffix(".part") }
    }
    running.process.terminate()
    let ended = try running.finish()
    #expect(
      ended.status == 0 && ended.error.contains("The last seconds were saved in "), "\(ended.error)"
    )
    let report = try report("boxes/\(#require(found.first))")
    #expect(report["reason"] as? String == "fault")
    let notices = report["notices"] as? [String] ?? []
    #expect(notices.contains { $0.hasPrefix("ill output NaN or infinity") }, "\(notices)")
  }

  @Test func `needs a writable directory`() throws {
    let refused = try Program.run(
      ["run", "--out", "null", "--black-box", "/proc/boxes", "outboard.oscillator"], in: scratch)
    #expect(refused.status == 2)
    #expect(
      refused.error.contains("--black-box /proc/boxes is not a directory and cannot be created"))
  }
}

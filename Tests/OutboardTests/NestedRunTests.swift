// NestedRunTests.swift: nested rigs, rendered, controlled and saved. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `A nested rig` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write(
      """
      outboard: 1
      output: {device: "null", channels: 1}
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {level: -20, frequency: 300}}
        trim: {plugin: outboard.gain, parameters: {gain: -6}}
      connections: [tone -> trim -> out]
      """, to: "voices/voice.yaml")
    try scratch.write(
      """
      outboard: 1
      output: {device: "null", channels: 2}
      nodes:
        one: {rig: voices/voice.yaml}
        two: {rig: voices/voice.yaml, parameters: {tone.frequency: 450}}
      connections: ["one -> out:1", "two -> out:2"]
      """, to: "pair.yaml")
  }

  private func outboard(_ arguments: String...) throws -> Program.Result {
    try Program.run(arguments, in: scratch)
  }

  private func start(_ arguments: String...) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "pair.yaml", "--duration", "200"] + arguments, in: scratch)
    let deadline = Deadline()
    while running.process.isRunning, try outboard("status").text.isEmpty {
      try deadline.rest(0.1)
    }
    return running
  }

  @Test func `gives the same output as its nodes in the outer rig, and is checked and drawn`()
    throws
  {
    try scratch.write(
      """
      outboard: 1
      nodes:
        a: {plugin: outboard.oscillator, parameters: {level: -20, frequency: 300}}
        b: {plugin: outboard.gain, parameters: {gain: -6}}
        c: {plugin: outboard.oscillator, parameters: {level: -20, frequency: 450}}
        d: {plugin: outboard.gain, parameters: {gain: -6}}
      connections:
        - a -> b
        - {from: b, to: "out:1"}
        - c -> d
        - {from: d, to: "out:2"}
      """, to: "flat.yaml")
    let check = try outboard("check", "pair.yaml")
    #expect(check.status == 0 && check.text == "pair.yaml: good (4 nodes, 0 in, 2 out)\n")
    let graph = try outboard("graph", "pair.yaml")
    #expect(graph.text.contains("two/trim"), "\(graph.text) \(graph.error)")
    for name in ["pair", "flat"] {
      let result = try outboard(
        "render", "--rig", "\(name).yaml", "--duration", "0.5", "-o", "\(name).wav")
      #expect(result.status == 0, "\(result.error)")
    }
    let sound = try #require(scratch.samples("pair.wav"))
    #expect(sound.count == 2 && sound[0] != sound[1] && sound[0].contains { $0 != 0 })
    #expect(try sound == #require(scratch.samples("flat.wav")))
  }

  @Test func `is set by its nodes' names and as a whole, watched, and saved`() throws {
    let running = try start("--watch")
    #expect(try outboard("status").text.contains("two/trim"))
    let set = try outboard("set", "two", "trim.gain=-12", "tone.level=-30")
    #expect(set.status == 0, "\(set.error)")
    #expect(try outboard("set", "one/trim", "gain=-3").status == 0)
    #expect(try outboard("set", "one", "bypass=on").status == 0)
    let wrong = try outboard("set", "two", "gain=3")
    #expect(wrong.status == 2)
    #expect(
      wrong.error.hasSuffix(
        "two is a nested rig. Write the node before the parameter, as in tone.gain.\n"
      ))

    let within = try outboard("set", "two/tone -> two/trim", "gain=3")
    #expect(within.status == 2)
    #expect(
      within.error.hasSuffix(
        "The gain from two/tone to two/trim is set in voices/voice.yaml, not in this rig.\n"),
      "\(within.error)")

    #expect(try outboard("save", "mine/saved.yaml").status == 1)
    try FileManager.default.createDirectory(
      atPath: scratch.path("mine"), withIntermediateDirectories: false)
    let saved = try outboard("save", "mine/saved.yaml")
    #expect(saved.status == 0, "\(saved.error)")
    let text = String(decoding: try scratch.data("mine/saved.yaml"), as: UTF8.self)
    #expect(text.contains("rig: ") && text.contains("bypass: true") && !text.contains("plugin:"))
    let check = try outboard("check", "mine/saved.yaml")
    #expect(check.status == 0, "\(check.error)")

    // The nested rig file is saved: the change applies to both nodes.
    let inner = String(decoding: try scratch.data("voices/voice.yaml"), as: UTF8.self)
    try scratch.write(
      inner.replacing("frequency: 300", with: "frequency: 350"), to: "voices/voice.yaml")
    let deadline = Deadline()
    while try !outboard("status").text.squeezed.contains("frequency 350 Hz") {
      try deadline.rest(0.1)
    }
    #expect(try outboard("status").text.squeezed.contains("frequency 450 Hz"))
    running.process.terminate()
    #expect(try running.finish().status == 0)
  }
}

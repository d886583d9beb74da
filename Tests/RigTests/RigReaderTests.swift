// RigReaderTests.swift: the content of a rig, and locations of errors. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import Manifests
import PluginModel
import RigSchema
import Testing

@Suite struct RigReaderTests {
  private func read(_ text: String) throws -> RigDescription {
    try RigReader.read(text: text, file: "stage/voice.yaml")
  }

  private func connections(_ lines: String...) throws -> [RigConnection] {
    let nodes = "nodes: {a: {plugin: x}, b: {plugin: y}}"
    let list = lines.map { "  - \($0)" }.joined(separator: "\n")
    return try read("outboard: 1\n\(nodes)\nconnections:\n\(list)\n").connections
  }

  @Test func `devices and stream settings become a request`() throws {
    let rig = try read(
      """
      outboard: 1
      rate: 48000
      period: 256
      periods: 3
      input: {device: hw:1, channels: 1}
      output: {channels: 2, format: S24_3}
      connections: [in -> out]
      """)
    var request = StreamRequest()
    (request.inputDevice, request.inputChannelCount) = ("hw:1", 1)
    (request.outputDevice, request.outputChannelCount) = ("default", 2)
    (request.sampleRateHz, request.periodFrames, request.periodCount) = (48_000, 256, 3)
    request.outputs[0].format = "S24_3"
    #expect(rig.streamRequest == request)
    #expect(rig.name == "voice")
    #expect(!rig.isOffline)
  }

  @Test func `several devices, channel lists, independent clocks and fallback devices are read`()
    throws
  {
    let rig = try read(
      """
      outboard: 1
      input: ["hw:1,0:3-4", {device: hw:2, clock: independent, fallback: [hw:3, default]}]
      output: {device: hw:1, channels: [2, 1], clock: shared}
      wait: true
      dither: true
      feedback_suppression: off
      overload_protection: off
      dc_protection: off
      connections: [in -> out]
      """)
    let request = rig.streamRequest
    #expect(
      request.inputs == [
        DeviceRequest(device: "hw:1,0", channels: [2, 3]),
        // Each of several devices has a list of the rig's channels.
        DeviceRequest(
          device: "hw:2", channelCount: 2, clock: .independent, fallbacks: ["hw:3", "default"]),
      ])
    #expect(
      request.outputs == [DeviceRequest(device: "hw:1", channels: [1, 0], clock: .shared)])
    #expect(request.waitsForDevice && request.isDithered)
    #expect(!rig.suppressesFeedback && !rig.watchesDeadline && !rig.guardsAgainstOffset)
    #expect(rig.inputChannelCount == 4 && rig.outputChannelCount == 2)
  }

  @Test(arguments: [
    ("S16", "S16"), ("s16", "S16"), ("S24_3LE", "S24_3"), ("float_le", "FLOAT"),
    ("s24_3be", "S24_3_BE"),
  ])
  func `a format is read in any letter case and in ALSA's spelling`(text: String, format: String)
    throws
  {
    let rig = try read(
      "outboard: 1\ninput: hw:1\noutput: {device: hw:1, format: \(text)}\nconnections: [in -> out]")
    #expect(rig.outputs.map(\.request.format) == [format])
  }

  @Test(arguments: [("", false), (", keep_fallback: true", true), (", keep_fallback: no", false)])
  func `a fallback device stays in use if the rig says so`(words: String, isKept: Bool) throws {
    let rig = try read(
      "outboard: 1\ninput: hw:1\noutput: {device: hw:1, fallback: hw:2\(words)}\nconnections: [in -> out]"
    )
    #expect(rig.outputs.map(\.request.keepsWhatRuns) == [isKept])
  }

  @Test func `a rig without devices, or with none, is for files`() throws {
    #expect(try read("outboard: 1\nconnections: [in -> out]").isOffline)
    let text = "outboard: 1\ninput: none\noutput: none\nconnections: [in -> out]"
    #expect(try read(text).isOffline)
  }

  @Test func `isolation is a word or a group, and a group that is probably misspelt is noted`()
    throws
  {
    let rig = try read(
      """
      outboard: 1
      nodes:
        a: {plugin: outboard.gain, isolate: own}
        b: {plugin: outboard.gain, isolate: off}
        c: {plugin: outboard.gain, isolate: amps}
        d: {plugin: outboard.gain, isolate: amps}
        e: {plugin: outboard.gain, isolate: amp}
        f: {plugin: outboard.gain, isolate: auto}
        g: {plugin: outboard.gain}
        h: {plugin: outboard.gain, isolate: {group: amps, latency: block}}
        i: {plugin: outboard.gain, isolate: own+block}
        j: {plugin: outboard.gain, isolate: {latency: block}}
        k: {plugin: outboard.gain, isolate: {group: off, latency: none}}
      connections: [in -> a -> b -> c -> d -> e -> f -> g -> h -> i -> j -> k -> out]
      """)
    #expect(
      rig.nodes.map(\.isolation) == [
        .own, .off, .group("amps"), .group("amps"), .group("amp"), .automatic, .automatic,
        NodeIsolation(.group("amps"), isBlockLate: true), NodeIsolation(.own, isBlockLate: true),
        NodeIsolation(.automatic, isBlockLate: true), .off,
      ])
    #expect(
      rig.notes.map { "\($0)" }.joined().contains(
        "e is the only node in the group amp. Did you mean amps?"))
    let text = RigWriter.text(of: rig)
    #expect(try read(text).nodes.map(\.isolation) == rig.nodes.map(\.isolation))
  }

  @Test func `MIDI devices are a name or a list of names`() throws {
    let rig = try read(
      """
      outboard: 1
      midi: {input: Keystation, output: [Fantom, "MPC:0"]}
      connections: [in -> out]
      """)
    #expect(rig.midi.inputs == ["Keystation"])
    #expect(rig.midi.outputs == ["Fantom", "MPC:0"])
    #expect(try read("outboard: 1\nconnections: [in -> out]").midi == RigMIDI())
  }

  @Test func `nodes keep their values as written, with their locations`() throws {
    let rig = try read(
      """
      outboard: 1
      nodes:
        gate:
          plugin: outboard.gate
          instances: 2
          parameters: {hold: 50 ms, bypass: on, code: 010}
        desk: {builtin: mixer, channels: 4, law: "3 dB"}
      connections: [in -> gate -> desk -> out]
      """)
    let gate = try #require(rig.nodes.first)
    #expect(gate.source == .plugin("outboard.gate"))
    #expect(gate.position == SourcePosition(line: 3, column: 3))
    #expect(gate.sourcePosition == SourcePosition(line: 4, column: 13))
    #expect(gate.instanceCount == 2)
    #expect(gate.parameters.map(\.symbol) == ["hold", "bypass", "code"])
    #expect(gate.parameters.map(\.text) == ["50 ms", "on", "010"])
    #expect(gate.parameters[1].position == SourcePosition(line: 6, column: 31))
    #expect(gate.keyPath == "nodes.gate")
    #expect(rig.nodes[1].source == .builtin("mixer"))
    #expect(rig.nodes[1].settings.map(\.key) == ["channels", "law"])
    #expect(rig.nodes[1].settings.map(\.text) == ["4", "3 dB"])
  }

  @Test func `a chain of arrows becomes several connections, each end with its location`() throws {
    let chain = try connections("in -> a:1 ->  b -> out")
    #expect(chain.map(\.from.location) == [.input, .node("a"), .node("b")])
    #expect(chain.map(\.to.location) == [.node("a"), .node("b"), .output])
    #expect(chain.map(\.to.ports) == [.channels([1]), .all, .all])
    #expect(chain.map(\.from.position.column) == [5, 11, 19])
    #expect(chain.allSatisfy { $0.keyPath == "connections[1]" && $0.gainDecibels == 0 })
  }

  @Test func `an end in a chain may have its own quotes`() throws {
    let chain = try connections("in -> \"a:1-2\" -> 'b:left' -> out")
    #expect(chain.map(\.to.location) == [.node("a"), .node("b"), .output])
    #expect(chain.map(\.to.ports) == [.channels([1, 2]), .named("left"), .all])
    #expect(throws: ManifestError.self) { try connections("in -> \"a -> out") }
    #expect(throws: ManifestError.self) { try connections("in -> \"\" -> out") }
  }

  @Test(arguments: [
    ("a", ConnectionEndpoint.Ports.all), ("a:3", .channels([3])), ("a:1-3", .channels([1, 2, 3])),
    ("a:4,1-2", .channels([4, 1, 2])), ("a:left_in", .named("left_in")),
    ("a: 2", .channels([2])), ("a:64", .channels([64])),
  ])
  func `an end selects channels, a port or a group`(end: String, ports: ConnectionEndpoint.Ports)
    throws
  {
    let connection = try #require(try connections("{from: \"\(end)\", to: out}").first)
    #expect(connection.from.ports == ports)
  }

  @Test(arguments: [
    "a:0", "a:65", "a:3-1", "a:1,1", "a:", "a:1-", "a:-1", "a:1-2-3", "a:99999999999999999999",
    ":1", "1", "a b", "a:b:c",
  ])
  func `a wrong channel selection is refused`(end: String) {
    #expect(throws: ManifestError.self) { try connections("{from: \"\(end)\", to: out}") }
  }

  @Test(
    arguments: [
      ("-6", -6), ("-6 dB", -6), ("3.5dB", 3.5), ("off", -.infinity), ("-inf", -.infinity),
      ("-.inf", -.infinity), ("\"0\"", 0),
    ] as [(String, Float)])
  func `a gain is in decibels, or off`(text: String, gain: Float) throws {
    let connection = try #require(try connections("{from: in, to: out, gain: \(text)}").first)
    #expect(connection.gainDecibels == gain)
  }

  @Test func `every loop is reported once, from its first node in the file`() throws {
    let error = #expect(throws: ManifestError.self) {
      try connections("in -> a -> b -> a", "b -> b", "b -> out")
    }
    #expect(
      error?.diagnostics.map(\.fault) == [
        .loop(nodes: ["a", "b", "a"]), .loop(nodes: ["b", "b"]),
      ])
  }

  @Test func `an error has separate fields and its message`() throws {
    let error = #expect(throws: ManifestError.self) {
      try read("outboard: 1\nrate: 0\nconnections: [in -> out]")
    }
    let diagnostic = try #require(error?.diagnostics.first)
    #expect(diagnostic.position == SourcePosition(line: 2, column: 7))
    #expect(diagnostic.keyPath == "rate")
    #expect(diagnostic.file == "stage/voice.yaml")
    #expect(diagnostic.fault == .outOfRange(found: "0", minimum: "1000", maximum: "768000"))
  }

  @Test func `two branches that meet again are not a loop`() throws {
    #expect(try connections("in -> a -> b -> out", "in -> b").count == 4)
  }

  @Test func `a graph of a thousand nodes in a row is read`() throws {
    let nodes = (0 ..< 1000).map { "  n\($0): {plugin: x}" }.joined(separator: "\n")
    let chain = (0 ..< 1000).map { "n\($0)" }.joined(separator: " -> ")
    let rig = try read("outboard: 1\nnodes:\n\(nodes)\nconnections:\n  - in -> \(chain) -> out\n")
    #expect(rig.connections.count == 1001)
  }
}

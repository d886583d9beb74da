// AddressTests.swift: the addresses of a session, and the commands of messages. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Testing

@testable import OSC

@Suite struct `Addresses` {
  static let state = SessionState(
    rig: "stage",
    nodes: [
      .init(
        name: "reverb", plugin: "outboard.reverb",
        parameters: [.init(symbol: "mix", value: 20), .init(symbol: "decay", value: 2)]),
      .init(
        name: "voice/Größe 1", plugin: "x", parameters: [.init(symbol: "bypass", value: 3)],
        bypass: true),
      .init(name: "tape", plugin: "recorder"), .init(name: "band", plugin: "player"),
    ], nestedRigs: [.init(name: "voice", bypass: false, wet: 0.5)],
    connections: [
      .init(name: "in:1 -> reverb", gain: -6), .init(name: "voice/a -> out", gain: nil),
    ],
    scenes: [
      .init(name: "verse", over: nil, current: false),
      .init(name: "bridge 2", over: 2, current: true),
    ], transport: .init(tempo: 120, rolling: false))

  @Test func `name every parameter, connection, scene, recorder and player`() {
    let space = OSCAddressSpace(Self.state, .init(inputCount: 1, outputCount: 2, readouts: [:]))
    let expected = [
      "/node/reverb/mix", "/node/reverb/decay", "/node/reverb/bypass", "/node/reverb/wet",
      "/node/reverb/preset", "/node/voice/Gr%C3%B6%C3%9Fe%201/bypass",
      "/node/voice/Gr%C3%B6%C3%9Fe%201/wet", "/node/voice/bypass", "/node/voice/wet",
      "/connection/in:1/reverb/gain", "/connection/voice%2Fa/out/gain", "/scene", "/scene/next",
      "/scene/previous", "/scene/store", "/scene/recall/verse", "/scene/recall/bridge%202",
      "/recorder/start", "/recorder/tape/mark", "/player/band/seek", "/transport/tempo",
      "/transport/tap", "/undo", "/redo", "/save",
      "/rig", "/level/in/1", "/level/out/2", "/level/node/reverb",
    ]
    for address in expected { #expect(space.method(at: address) != nil, "\(address)") }
    let legal = space.methods.map(\.address).filter { address in
      !address.utf8.contains { byte in " #*,?[]{}".utf8.contains(byte) || byte > 126 }
    }
    #expect(legal.count == space.methods.count)
    #expect(space.method(at: "/level/in/2") == nil)
  }

  @Test func `tempo and transport are read, set and follow changes`() throws {
    var space = OSCAddressSpace(Self.state)
    func command(_ address: String, _ argument: OSCArgument?) throws -> Command? {
      try #require(space.method(at: address)).target.command(argument, scenes: [])
    }
    #expect(space.value(at: "/transport/tempo") == .float(120))
    #expect(try command("/transport/tempo", .int(96)) == .transport(.init(tempo: 96)))
    #expect(try command("/transport/rolling", .bool(true)) == .transport(.init(action: .start)))
    #expect(try command("/transport/rolling", .float(0)) == .transport(.init(action: .stop)))
    #expect(try command("/transport/tap", nil) == .transport(.init(action: .tap)))
    #expect(try command("/transport/tap", .int(0)) == nil)
    #expect(throws: OSCArgumentError.needsNumber) {
      try command("/transport/tempo", .string("fast"))
    }
    #expect(throws: OSCArgumentError.notANumber) {
      try command("/transport/tempo", .float(.nan))
    }
    let changed = space.apply(.transport(.init(tempo: 96, rolling: false)))
    #expect(changed == ["/transport/tempo"])
    #expect(space.value(at: "/transport/tempo") == .float(96))
  }

  @Test func `are found in any case of letters if only one fits`() {
    var state = Self.state
    state.nodes[0].name = "Reverb"
    state.nodes[0].parameters[1].symbol = "MIX"
    let space = OSCAddressSpace(state)
    #expect(space.method(at: "/node/reverb/wet")?.address == "/node/Reverb/wet")
    #expect(space.value(at: "/NODE/reverb/Bypass") == .bool(false))
    #expect(space.method(at: "/node/reverb/mix") == nil)
    #expect(space.method(at: "/node/Reverb/mix")?.address == "/node/Reverb/mix")
    #expect(space.method(at: "/node/other/wet") == nil)
  }

  @Test func `have the values of the state, in their units`() {
    var space = OSCAddressSpace(Self.state)
    #expect(space.value(at: "/node/reverb/mix") == .float(20))
    // A parameter with this name comes before the bypass of the node.
    #expect(space.value(at: "/node/voice/Gr%C3%B6%C3%9Fe%201/bypass") == .float(3))
    #expect(space.value(at: "/node/voice/wet") == .float(0.5))
    #expect(space.value(at: "/connection/voice%2Fa/out/gain") == .float(-200))
    #expect(space.value(at: "/scene") == .string("bridge 2"))
    #expect(
      space.apply(.parameter(node: "reverb", symbol: "mix", value: 30)) == ["/node/reverb/mix"])
    #expect(space.apply(.parameter(node: "reverb", symbol: "mix", value: 30)) == [])
    #expect(space.apply(.bypass(node: "voice", isOn: true)) == ["/node/voice/bypass"])
    #expect(space.apply(.gain(connection: "in:1 -> reverb", decibels: nil)).count == 1)
    #expect(space.value(at: "/node/reverb/mix") == .float(30))
  }

  private func command(_ address: String, _ argument: OSCArgument?) throws -> Command? {
    let method = try #require(OSCAddressSpace(Self.state).method(at: address))
    return try method.target.command(argument, scenes: Self.state.scenes)
  }

  private func set(_ node: String, _ symbol: String, _ value: String) -> Command {
    .set(.init(node: node, values: [.init(symbol, value)]))
  }

  @Test func `become commands`() throws {
    #expect(try command("/node/reverb/mix", .float(45)) == set("reverb", "mix", "45.0"))
    #expect(try command("/node/reverb/mix", .int(45)) == set("reverb", "mix", "45.0"))
    #expect(try command("/node/reverb/mix", .bool(true)) == set("reverb", "mix", "1.0"))
    #expect(try command("/node/reverb/mix", .string("45 %")) == set("reverb", "mix", "45 %"))
    #expect(try command("/node/reverb/bypass", .bool(true)) == set("reverb", "bypass", "on"))
    #expect(try command("/node/reverb/bypass", .float(0)) == set("reverb", "bypass", "off"))
    #expect(try command("/node/reverb/wet", .float(0.25)) == set("reverb", "wet", "25.0 %"))
    #expect(try command("/node/reverb/wet", .float(7)) == set("reverb", "wet", "100.0 %"))
    #expect(try command("/node/reverb/preset", .string("Hall")) == set("reverb", "preset", "Hall"))
    let gain = "/connection/in:1/reverb/gain"
    #expect(try command(gain, .float(-3)) == set("in:1 -> reverb", "gain", "-3.0"))
    #expect(try command(gain, .float(-.infinity)) == set("in:1 -> reverb", "gain", "off"))
    #expect(try command("/scene", .string("verse")) == .scene(.recall("verse", over: nil)))
    #expect(try command("/scene", .int(2)) == .scene(.recall("bridge 2", over: nil)))
    #expect(try command("/scene/next", nil) == .scene(.step(1)))
    #expect(try command("/scene/store", .string("x")) == .scene(.store("x")))
    #expect(
      try command("/scene/recall/verse", .float(1)) == .scene(.recall("verse", over: nil)))
    #expect(try command("/recorder/start", nil) == .record(.init(action: .start)))
    #expect(
      try command("/recorder/tape/mark", .string("solo"))
        == .record(.init(node: "tape", action: .mark("solo"))))
    #expect(
      try command("/player/band/seek", .float(1.5))
        == .play(.init(node: "band", action: .seek("1.5 s"))))
    #expect(try command("/save", .impulse) == .save(.init()))
  }

  @Test func `of buttons do nothing when they are released`() throws {
    for address in ["/undo", "/scene/next", "/recorder/tape/start", "/player/stop"] {
      #expect(try command(address, .float(0)) == nil)
      #expect(try command(address, .bool(false)) == nil)
      #expect(try command(address, .int(1)) != nil)
    }
  }

  @Test(arguments: [
    ("/node/reverb/mix", OSCArgument.float(.nan), OSCArgumentError.notANumber),
    ("/node/reverb/mix", .float(.infinity), .notANumber), ("/node/reverb/mix", .null, .needsNumber),
    ("/node/reverb/mix", .blob([1]), .needsNumber), ("/node/reverb/bypass", .null, .needsNumber),
    ("/node/reverb/wet", .double(.nan), .notANumber), ("/node/reverb/preset", .int(1), .needsText),
    ("/scene", .int(3), .unknownScene), ("/scene", .float(.nan), .unknownScene),
    ("/scene", .null, .needsText), ("/scene/store", .int(1), .needsText),
    ("/recorder/mark", .int(1), .needsText), ("/player/seek", .float(.infinity), .notANumber),
    ("/rig", .string("x"), .readOnly),
  ])
  func `refuse arguments that do not fit`(
    address: String, argument: OSCArgument, refusal: OSCArgumentError
  ) {
    #expect(throws: refusal) { _ = try command(address, argument) }
  }
}

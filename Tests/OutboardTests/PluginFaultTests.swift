// PluginFaultTests.swift: unknown plugins and parameters. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Unavailable plugins and parameters` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  private func refuses(_ chain: String..., says message: String) throws {
    try expectFailure(
      ["render"] + chain + ["-i", "in.wav", "-o", "out.wav"], in: scratch, message)
  }

  @Test func `an unknown plugin is reported as unknown`() throws {
    try refuses(
      "xyzzyxyzzy",
      says: "No such plugin: \"xyzzyxyzzy\". Run `outboard list` to see all plugins.")
  }

  @Test func `for a misspelt plugin the nearest name is suggested`() throws {
    try refuses(
      "limitre",
      says: "No such plugin: \"limitre\". Similar plugins: Limiter (outboard.limiter).")
  }

  @Test func `an empty name is reported as empty`() throws {
    try refuses(
      "", says: "The plugin name is empty. Run `outboard list` to see all plugins.")
  }

  @Test func `an ambiguous name lists the candidates`() throws {
    try refuses(
      "outboard.ga",
      says: "\"outboard.ga\" is ambiguous (2 plugins): Gain (outboard.gain), Gate (outboard.gate). "
        + "Use a longer name, the URI or the id.")
  }

  @Test func `a plugin that cannot be instantiated is refused with its own message`() throws {
    let bundles = try BundleDirectory(["instantiate_null", "required_feature"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    try scratch.addTone()
    for name in ["instantiate_null", "required_feature"] {
      try expectFailure(
        ["render", "urn:outboard:test:\(name)", "-i", "in.wav", "-o", "out.wav"], in: scratch,
        try bundles.expectation(name))
    }
  }

  @Test func `a plugin whose create fails is refused`() throws {
    try scratch.addModule("stubborn", fixture: "create_fails")
    try refuses(
      "./stubborn.so",
      says: "stubborn: `create` returned NULL at 48000 Hz with blocks of up to 1024 frames. If it"
        + " needs a certain rate or block length, declare that in its manifest, e.g. `rate: 48000`"
        + " or `block: {fixed: 480}`.")
  }

  @Test func `for an unknown parameter the nearest is suggested, or all are listed`() throws {
    try refuses(
      "outboard.gain", "gian=3", says: "Gain has no parameter gian. Did you mean gain?")
    try refuses(
      "outboard.gain", "xyzzy=3",
      says: "Gain has no parameter xyzzy; it has gain, balance, mute, invert_left, invert_right.")
  }

  @Test func `a value that is not a number is refused with the allowed range`() throws {
    try refuses(
      "outboard.gain", "gain=loud",
      says: "Gain: gain = loud is not a number. Allowed: -90 to 24 dB.")
    try refuses(
      "outboard.gain", "gain=nan",
      says: "Gain: gain = nan is not a number. Allowed: -90 to 24 dB.")
  }

  @Test func `a value before any plugin is refused`() throws {
    try refuses(
      "mix=30",
      says: "mix=30 has no plugin. Write values after their plugin, as in"
        + " `reverb mix=30`.")
  }

  @Test func `a value out of range is clamped, with a note`() throws {
    try expectSuccess(
      ["render", "outboard.gain", "gain=60", "-i", "in.wav", "-o", "out.wav"], in: scratch,
      remark: "outboard: Gain: gain = 60 is above the maximum. Using 24 dB.\n")
    try expectSuccess(
      ["render", "outboard.gain", "gain=24", "-i", "in.wav", "-o", "same.wav"], in: scratch)
    #expect(try scratch.data("out.wav") == scratch.data("same.wav"))
  }

  @Test func `a plugin without inputs cannot follow another`() throws {
    try expectFailure(
      ["render", "outboard.oscillator", "outboard.oscillator", "--duration", "1", "-o", "out.wav"],
      in: scratch, "Oscillator 2 has no audio inputs, so Oscillator cannot feed it.")
  }
}

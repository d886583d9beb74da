// FindTests.swift: `outboard find`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Plugins are found by purpose` {
  private struct Match: Decodable {
    struct Reason: Decodable {
      let words: String
      let field: String
      let text: String
    }
    let id: String
    let name: String
    let kind: String
    let reasons: [Reason]
  }

  /// The plugins of Debian's packages mda-lv2 and swh-lv2.
  private static let installed = "/usr/lib/lv2"
  private static let hasPlugins = ["mda.lv2", "gate-swh.lv2"].allSatisfy {
    FileManager.default.fileExists(atPath: "\(installed)/\($0)/manifest.ttl")
  }

  private static func find(
    _ request: String, in scratch: TemporaryDirectory, _ options: String...
  ) throws -> [Match] {
    let result = try Program.run(["find", request, "--json"] + options, in: scratch)
    try #require(result.status == 0, "\(request): \(result.error)")
    return try JSONDecoder().decode([Match].self, from: result.output)
  }

  /// Requests, and the names of plugins or commands that must be on the first page; the first of them must come first
  /// if it begins with an exclamation mark.
  private static let modules: [(String, [String])] = [
    ("remove noise", ["!outboard.voice-processor", "outboard.gate"]),
    ("denoise", ["outboard.voice-processor", "outboard.gate"]),
    ("noise gate", ["!outboard.gate"]),
    ("ducking", ["!outboard.compressor", "outboard.echo"]),
    ("duck music under voice", ["!outboard.compressor"]),
    ("normalise", ["!outboard render --loudness -16 FILES -o DIRECTORY/"]),
    ("same loudness", ["outboard render --loudness -16 FILES -o DIRECTORY/"]),
    ("how loud", ["outboard.loudness-meter", "outboard analyse FILES"]),
    ("cabinet", ["!outboard.amplifier", "outboard.convolver"]),
    ("highpass", ["!outboard.parametric-eq"]),
    ("low cut", ["outboard.parametric-eq"]),
    ("fuzz", ["!outboard.overdrive"]),
    ("autotune", ["!outboard.pitch-shifter", "outboard.tuner"]),
    ("echo", ["!outboard.echo", "outboard.delay"]),
    ("room sound", ["!outboard.reverb", "outboard.plate-reverb", "outboard.convolver"]),
    ("guitar amp", ["!outboard.amplifier"]),
    ("sibilance", ["!outboard.de-esser"]),
    ("harsh s", ["!outboard.de-esser"]),
    ("stop clipping", ["!outboard.limiter"]),
    ("tune my guitar", ["!outboard.tuner"]),
    ("robot voice", ["!outboard.vocoder", "outboard.ring-modulator"]),
    ("equalizer", ["!outboard.parametric-eq", "outboard.graphic-eq"]),
    ("loop pedal", ["!outboard.looper"]),
    ("see frequencies", ["!outboard.spectrum-analyser"]),
    ("multiband compression", ["!outboard.multiband-compressor"]),
    ("vibrato", ["!outboard.tremolo"]),
    ("louder", ["outboard.gain", "outboard.compressor"]),
    ("invert phase", ["!outboard.gain"]),
    ("podcast", ["!outboard.voice-processor"]),
    ("true peak", ["outboard.limiter", "outboard.loudness-meter"]),
    ("octave up", ["!outboard.pitch-shifter"]),
    ("hammond", ["!outboard.organ"]),
    ("null test", ["!outboard compare A B"]),
    ("white noise", ["!outboard.oscillator"]),
    // As musicians type it.
    ("make my voice sound like a robot", ["!outboard.vocoder"]),
    ("add reverb to vocals", ["!outboard.reverb", "outboard.plate-reverb"]),
    ("get rid of the hum in my guitar", ["!outboard.parametric-eq"]),
    ("make my bass louder", ["outboard.compressor", "outboard.gain"]),
    ("fatten my vocals", ["!outboard.chorus"]),
    ("loop my guitar", ["!outboard.looper"]),
    ("auto tune for my voice", ["!outboard.pitch-shifter"]),
    ("electric guitar distortion", ["outboard.overdrive"]),
    ("organ with rotating speaker", ["!outboard.organ"]),
    ("change the pitch of my song", ["!outboard.pitch-shifter"]),
    ("see the spectrum of my mix", ["!outboard.spectrum-analyser"]),
    ("telephone effect on vocals", ["outboard.parametric-eq"]),
    ("stop my mic from clipping", ["!outboard.limiter"]),
    ("bass guitar amp", ["!outboard.amplifier"]),
    ("volume pedal", ["!outboard.gain"]),
    ("simulate a tube preamp", ["!outboard.amplifier"]),
    ("de-ess my singing", ["!outboard.de-esser"]),
    ("gate for high gain guitar", ["outboard.gate"]),
    ("more sustain for my guitar", ["!outboard.compressor"]),
    ("play a backing track", ["!outboard.sampler"]),
    ("octave below my guitar", ["!outboard.pitch-shifter"]),
    ("tame the boomy bass", ["outboard.parametric-eq"]),
    ("space echo", ["!outboard.echo"]),
  ]

  private static let lv2: [(String, [String])] = [
    ("stereo width", ["MDA Image", "MDA Stereo", "Matrix Spatialiser"]),
    ("fuzz", ["MDA Overdrive", "Valve saturation", "Fast overdrive"]),
    ("lofi", ["Decimator", "MDA Degrade"]),
    ("rotary speaker", ["!MDA Leslie"]),
    ("karaoke", ["!Karaoke"]),
    ("piano", ["!MDA Piano", "MDA ePiano"]),
    ("old record", ["!VyNil (Vinyl Effect)"]),
    ("noise gate", ["Gate", "MDA Dynamics"]),
    ("high pass", ["GLAME Butterworth Highpass", "Glame Highpass Filter"]),
    ("suboctave", ["Audio Divider (Suboctave Generator)", "MDA SubSynth"]),
    ("wah", ["MDA RezFilter", "Hermes Filter"]),
    ("transient shaper", ["MDA Transient", "Transient mangler"]),
    ("tape echo", ["Tape Delay Simulation", "MDA Delay"]),
    ("deesser", ["MDA De-ess"]),
    ("fix clipping", ["Declipper"]),
  ]

  private func check(_ requests: [(String, [String])], _ scratch: TemporaryDirectory) throws {
    for (request, expected) in requests {
      let found = try Self.find(request, in: scratch).flatMap { [$0.id, $0.name] }
      for name in expected {
        let plain = name.hasPrefix("!") ? String(name.dropFirst()) : name
        #expect(found.contains(plain), "\(request): \(plain) in \(found)")
        if plain != name { #expect(found.prefix(2).contains(plain), "\(request): \(found)") }
      }
    }
  }

  @Test func `included modules are on the first page`() throws {
    try check(Self.modules, try TemporaryDirectory())
  }

  @Test(.enabled(if: hasPlugins, "mda-lv2 or swh-lv2 is not installed"))
  func `LV2 plugins are on the first page`() throws {
    // Only these packages, because others contain better matches of some requests.
    let bundles = try FileManager.default.contentsOfDirectory(atPath: Self.installed).filter {
      $0 == "mda.lv2" || $0.hasSuffix("-swh.lv2")
    }
    let links = try TemporaryDirectory()
    for bundle in bundles {
      try FileManager.default.createSymbolicLink(
        atPath: links.path(bundle), withDestinationPath: "\(Self.installed)/\(bundle)")
    }
    let scratch = try TemporaryDirectory(lv2: links.directory.path)
    try check(Self.modules.filter { !["remove noise", "denoise"].contains($0.0) }, scratch)
    let plugins = try Self.find("piano", in: scratch, "--kind", "lv2")
    #expect(plugins.allSatisfy { $0.kind == "lv2" } && plugins.first?.name == "MDA Piano")
    try check(Self.lv2, scratch)
  }

  @Test func `the reason is given, and words are joined`() throws {
    let scratch = try TemporaryDirectory()
    let match = try #require(
      try Self.find("harsh s", in: scratch).first { $0.id == "outboard.de-esser" })
    #expect(match.kind == "module" && match.reasons.map(\.words) == ["harsh s"])
    let text = try expectSuccess(["find", "remove", "noise", "--limit", "2"], in: scratch).text
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3 && String(lines[0]).squeezed == "NAME KIND MATCH ID", "\(text)")
    #expect(text.contains("noise reduction"), "\(text)")
  }

  @Test func `presets of LV2 bundles are found, also after they were added`() throws {
    let bundles = try BundleDirectory(["state"])
    let scratch = try TemporaryDirectory(lv2: bundles.path + ":" + bundles.path + "/more")
    let match = try #require(try Self.find("large hall", in: scratch, "--kind", "lv2").first)
    #expect(match.reasons.map(\.text) == ["Large hall", "Large hall"], "\(match)")
    #expect(match.reasons.map(\.field) == ["preset", "preset"])
    let missing = try Program.run(["find", "zeppelin", "--kind", "lv2"], in: scratch)
    #expect(missing.status == 1, "\(missing)")
    // A bundle without plugins, with a preset of a plugin in another bundle.
    let bundle = URL(fileURLWithPath: bundles.path + "/more/church.preset.lv2")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    let manifest = """
      @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
      @prefix pset: <http://lv2plug.in/ns/ext/presets#> .
      @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      <urn:outboard:test:zeppelin> a pset:Preset ; lv2:appliesTo <urn:outboard:test:state> ;
      """
    for (name, text) in [
      ("manifest.ttl", manifest + " rdfs:seeAlso <preset.ttl> .\n"),
      ("preset.ttl", manifest + " rdfs:label \"Old zeppelin\" .\n"),
    ] {
      try text.write(to: bundle.appending(path: name), atomically: true, encoding: .utf8)
    }
    let added = try Self.find("zeppelin", in: scratch, "--kind", "lv2")
    #expect(added.map(\.id) == ["urn:outboard:test:state"], "\(added)")
    #expect(added.first?.reasons.first?.text == "Old zeppelin")
    let text = try expectSuccess(["list", "zeppelin"], in: scratch).text
    #expect(text.contains("urn:outboard:test:state"), "\(text)")
    try FileManager.default.removeItem(at: bundle)
    #expect(try Program.run(["find", "zeppelin", "--kind", "lv2"], in: scratch).status == 1)
  }

  @Test(arguments: ["find", "list"])
  func `a request that is too long is refused`(_ command: String) throws {
    let scratch = try TemporaryDirectory()
    let longest = String(repeating: "x", count: 200)
    let allowed = try Program.run([command, longest], in: scratch)
    #expect(allowed.status == (command == "find" ? 1 : 0), "\(allowed)")
    let refused = try Program.run([command, longest, "y"], in: scratch)
    #expect(refused.status == 2, "\(refused)")
    #expect(refused.error.contains("The search has 202 bytes. Use at most 200."), "\(refused)")
  }

  @Test func `a request without a match names similar words`() throws {
    let scratch = try TemporaryDirectory()
    try expectFailure(
      ["find", "reverbb"], in: scratch,
      "No installed plugin matches \"reverbb\". Similar words: reverb.", status: 1)
    try expectFailure(
      ["find", "xqzzy"], in: scratch,
      "No installed plugin matches \"xqzzy\". Run `outboard list` to see all plugins.", status: 1)
    for wrong in [["find"], ["find", ""], ["find", "?!"], ["find", "echo", "--limit", "0"]] {
      let result = try Program.run(wrong, in: scratch)
      #expect(result.status == 2 && !result.error.isEmpty && result.text.isEmpty, "\(wrong)")
    }
  }

  @Test func `list finds by purpose if no name matches`() throws {
    let scratch = try TemporaryDirectory()
    let text = try expectSuccess(["list", "fuzz"], in: scratch).text
    #expect(text.contains("outboard.overdrive"), "\(text)")
    let none = try Program.run(["list", "fuzz", "--category", "Reverb"], in: scratch)
    #expect(none.error.contains("No installed plugin matches"), "\(none)")
  }
}

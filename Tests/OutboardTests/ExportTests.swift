// ExportTests.swift: `outboard export lv2`, checked by other programs. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Exported as LV2` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  private func export(_ arguments: String...) throws -> Program.Result {
    try Program.run(["export", "lv2"] + arguments, in: scratch)
  }

  /// Sums up products, which a compiler may fuse on machines that can.
  private static func filter(_ compile: String) -> String {
    """
    // outboard: {inputs: 1, outputs: 1\(compile)}
    static float low, band;
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) {
        const float high = in[0][i] - low - 0.3f * band;
        band += 0.17f * high;
        low += 0.17f * band;
        out[0][i] = 0.7f * low + 0.3f * high;
      }
    }
    """
  }

  @Test func `the output of a source is the same as in this host, or the difference is reported`()
    throws
  {
    try scratch.write(Self.filter(""), to: "same.c")
    let same = try export("same.c", "-o", "lv2")
    #expect(same.status == 0)
    #expect(!same.text.contains("differs"), "\(same.text)")
    try scratch.write(Self.filter(", compiler_flags: -ffp-contract=fast"), to: "other.c")
    let other = try export("other.c", "-o", "lv2")
    #expect(other.status == 0)
    let facts = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let fuses = facts.contains(" fma ")
    #expect(
      other.text.contains("The output differs from `outboard run` by up to -") == fuses,
      "\(other.text)")
  }

  /// A source whose manifest has every kind of port, and texts that need escapes.
  private static let everything = #"""
    #include <stdint.h>
    void midi(void *s, uint32_t f, const uint8_t *b, uint32_t n) {}
    uint32_t latency(const void *s) { return 12; }
    uint32_t save(const void *s, void *b, uint32_t n) { return 0; }
    int restore(void *s, const void *b, uint32_t n) { return 0; }
    int load_file(void *s, uint32_t f, const float *const *c, uint32_t n, uint32_t l) { return 0; }
    void readouts(const void *s, float *v) { v[0] = -3; v[1] = 1; }
    void process(void *s, const float *const *in, float *const *out, const float *p, uint32_t n) {
      for (uint32_t i = 0; i < n; i++) out[0][i] = in[0][i] * p[0];
    }
    """#
  private static let manifest = #"""
    abi: 1
    id: test.everything
    name: "Every \"thing\" \\ größer"
    vendor: "O'Brien \\\" & Söhne"
    license: GPL-3.0-or-later
    category: Delay
    description: "One line,\nanother \\n."
    inputs:
      - {name: Left, group: main}
      - {name: Right, group: main}
      - {name: Key, group: sidechain}
    outputs: 1
    midi: true
    block: {maximum: 64}
    parameters:
      - {symbol: level, name: Level, unit: dB, minimum: -60, default: 0.1, maximum: 6, smoothing: 5 ms}
      - {symbol: cutoff, name: Cutoff, unit: Hz, minimum: 20, default: 1000, maximum: 20000, scale: logarithmic}
      - {symbol: ratio, name: Ratio, unit: ":1", minimum: 1, default: 2, maximum: 20}
      - {symbol: rate, name: Rate, unit: "%/s", minimum: 1e-7, default: 2e-6, maximum: 1e10}
      - {symbol: mode, name: "Mode \"A\"", choices: ["Soft \"ish\"", "Hard\\"]}
      - {symbol: count, name: Count, minimum: 1, default: 3, maximum: 9, scale: integer}
      - {symbol: some, name: Some, minimum: 0, default: 1, maximum: 9, choices: {1: One, 9: Nine}}
      - {symbol: freeze, name: Freeze, scale: toggle}
      - {symbol: far, name: Far, minimum: 2, maximum: 5, default: 2, scale: toggle}
    readouts:
      - {symbol: level, name: Level now, unit: dB, minimum: -60, maximum: 6}
      - {symbol: note, name: Note, choices: [C, D]}
    files:
      - {symbol: room, name: "Room \"x\"", description: "Two\nlines"}
    presets:
      - {name: "Quite \"soft\"", parameters: {level: -20 dB, mode: "Hard\\"}}
      - {name: Plain}
    """#

  /// The specifications, and the vocabularies that they use.
  private static let vocabularies: [String] = {
    let directory = "/usr/lib/lv2"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let specifications = [
      "core", "data-access", "dynmanifest", "event", "instance-access", "morph", "parameters",
      "patch", "presets", "time", "ui", "uri-map", "worker",
      "atom", "buf-size", "log", "midi", "options", "port-groups", "port-props",
      "resize-port", "schemas", "state", "units", "urid",
    ].map { $0 + ".lv2" }
    return names.filter(specifications.contains).flatMap { name in
      ((try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(name)")) ?? [])
        .filter { $0.hasSuffix(".ttl") }.map { "\(directory)/\(name)/\($0)" }
    }
  }()

  @Test(
    .enabled(
      if: Tool.exists("/usr/bin/sord_validate")
        && FileManager.default.fileExists(atPath: "/usr/lib/lv2/schemas.lv2"),
      "sordi and lv2-dev are not installed"),
    arguments: ["gain", "organ", "compressor", "limiter", "convolver", "sampler", "everything.c"])
  func `the data are valid`(module: String) throws {
    try scratch.write(Self.everything, to: "everything.c")
    try scratch.write(Self.manifest, to: "everything.yaml")
    let result = try export(module, "-o", "out")
    #expect(result.status == 0, "\(result.error)")
    let bundle = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: scratch.path("out")
      ).first)
    let name = String(bundle.dropLast(4))
    let files = ["manifest", name, "presets"].map { scratch.path("out/\(bundle)/\($0).ttl") }
      .filter(FileManager.default.fileExists)
    #expect(try Tool.run("/usr/bin/sord_validate", Self.vocabularies + files) == 0)
  }

  @Test func `every fact of the manifest survives the export`() throws {
    try scratch.write(Self.everything, to: "everything.c")
    try scratch.write(Self.manifest, to: "everything.yaml")
    #expect(try export("everything.c", "-o", "out").status == 0)
    let info = try Program.run(
      ["info", "urn:outboard:module:test.everything"], in: scratch,
      environment: ["LV2_PATH": scratch.path("out")])
    #expect(info.status == 0, "\(info.error)")
    for word in [
      "Every \"thing\" \\ größer", "O'Brien \\\" & Söhne", "Soft \"ish\"", "Hard\\", "Nine",
      "sidechain", "%/s", ":1", "20000", "Level now", "Room \"x\"", "Quite \"soft\"", "Plain",
    ] {
      #expect(info.text.contains(word), "\(word) in \(info.text)")
    }
  }

  @Test(
    .enabled(if: Tool.exists("/usr/bin/lv2apply"), "lilv-utils are not installed"),
    arguments: ["gain", "reverb", "delay", "convolver"])
  func `lv2apply gives the same samples`(module: String) throws {
    #expect(try export(module, "-o", "out", "--uri", "urn:test:it").status == 0)
    try expectSuccess(
      [
        "render", "outboard.\(module)", "--block-length", "1", "--tail", "0", "-i", "in.wav", "-o",
        "a.wav",
      ],
      in: scratch)
    let status = try Program.shell(
      "LV2_PATH='\(scratch.path("out"))' lv2apply -i in.wav -o b.wav urn:test:it", in: scratch
    ).status
    #expect(status == 0)
    let (own, other) = (scratch.samples("a.wav"), scratch.samples("b.wav"))
    #expect(own?.contains { $0.contains { $0 != 0 } } == true)
    #expect(own?.map { $0.map(\.bitPattern) } == other?.map { $0.map(\.bitPattern) })
  }

  @Test func `a wrong request is refused with a message`() throws {
    func refuses(_ arguments: [String], _ message: String) throws {
      let result = try Program.run(["export", "lv2"] + arguments, in: scratch)
      #expect(result.status == 2)
      #expect(result.error.hasPrefix("outboard: \(message)"), "\(result.error)")
      #expect(try scratch.files() == ["in.wav"])
    }
    try refuses(["mixer", "-o", "out"], "Mixer is built in.")
    try refuses(["gain", "-o", "out", "--uri", "a b"], "\"a b\" is not a URI.")
    try refuses(["gain"], "Missing expected argument '--output <dir>'")
    try refuses(
      ["nothing-of-that-name", "-o", "out"], "No such plugin: \"nothing-of-that-name\".")
    try refuses(["missing.c", "-o", "out"], "missing.c: no such file")
  }

  @Test(
    .enabled(if: InstalledBundles.exist(["eg-amp.lv2"]), "lv2-examples are not installed"))
  func `an LV2 plugin is refused, because it is one already`() throws {
    let bundles = try InstalledBundles(["eg-amp.lv2"])
    let result = try Program.run(
      ["export", "lv2", "http://lv2plug.in/plugins/eg-amp", "-o", "out"], in: scratch,
      environment: ["LV2_PATH": bundles.path])
    #expect(result.status == 2)
    #expect(
      result.error
        == "outboard: Simple Amplifier is already an LV2 plugin. Other hosts can use it"
        + " directly.\n")
  }

  @Test(.enabled(if: FullDisk.isPossible, "a file system in memory cannot be mounted"))
  func `a full disk is reported, and no file remains`() throws {
    let disk = try FullDisk(at: scratch.path("disk"))
    try Data(count: 500_000).write(to: URL(fileURLWithPath: disk.path + "/filler"))
    let result = try export("reverb", "-o", "disk")
    #expect(result.status == 1)
    #expect(
      result.error == "outboard: disk/Reverb.lv2 cannot be written: No space left on device.\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["filler"])
  }

  @Test func `a directory that cannot be created is reported`() throws {
    let result = try export("gain", "-o", "in.wav")
    #expect(result.status == 1)
    #expect(
      result.error == "outboard: in.wav/Gain.lv2 cannot be written: Not a directory.\n")
  }

  @Test func `a bundle is replaced only with --force`() throws {
    #expect(try export("gain", "-o", "out").status == 0)
    let again = try export("gain", "-o", "out")
    #expect(again.status == 2)
    #expect(again.error == "outboard: out/Gain.lv2 already exists. Use --force to replace it.\n")
    #expect(try export("gain", "-o", "out", "--force").status == 0)
  }
}

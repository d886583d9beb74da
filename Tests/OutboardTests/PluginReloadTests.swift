// PluginReloadTests.swift: LV2 bundles that are replaced during a session. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

/// An LV2 plugin with a gain, whose factor is set when it is compiled.
private let source = """
  #include <stdint.h>
  #include <stdlib.h>
  typedef struct { void *ports[3]; } plugin;
  typedef struct {
    const char *uri;
    void *(*instantiate)(const void *, double, const char *, const void *const *);
    void (*connect_port)(void *, uint32_t, void *);
    void (*activate)(void *);
    void (*run)(void *, uint32_t);
    void (*deactivate)(void *);
    void (*cleanup)(void *);
    const void *(*extension_data)(const char *);
  } descriptor;
  static void *create(const void *d, double rate, const char *path, const void *const *features) {
    return calloc(1, sizeof(plugin));
  }
  static void connect_port(void *p, uint32_t port, void *data) { ((plugin *)p)->ports[port] = data; }
  static void run(void *p, uint32_t count) {
    void **ports = ((plugin *)p)->ports;
    for (uint32_t i = 0; i < count; i++)
      ((float *)ports[1])[i] = ((float *)ports[0])[i] * *(float *)ports[2] * FACTOR;
  }
  static const descriptor amp = {"urn:outboard:test:amp", create, connect_port, 0, run, 0, free, 0};
  const descriptor *lv2_descriptor(uint32_t index) { return index ? 0 : &amp; }
  """

private let prefixes = """
  @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix doap: <http://usefulinc.com/ns/doap#> .

  """

@Suite struct `An LV2 bundle of the user` {
  private let bundles: TemporaryDirectory
  private let scratch: TemporaryDirectory

  init() throws {
    bundles = try TemporaryDirectory()
    scratch = try TemporaryDirectory(lv2: bundles.path("lv2"))
    try bundles.write(source, to: "amp.c")
    try bundles.write(
      prefixes
        + "<urn:outboard:test:amp> a lv2:Plugin ; lv2:binary <amp.so> ; rdfs:seeAlso <amp.ttl> .",
      to: "lv2/amp.lv2/manifest.ttl")
    try describe(gainMaximum: "4.0")
    try compile(factor: "1.0f")
    try scratch.write(
      """
      outboard: 1
      output: dummy
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {level: -20}}
        amp: {plugin: "urn:outboard:test:amp"}
      connections: [tone -> amp -> out]
      """, to: "rig.yaml")
  }

  private func describe(gainMaximum: String) throws {
    try bundles.write(
      prefixes + """
        <urn:outboard:test:amp> a lv2:Plugin ; doap:name "Amp" ; lv2:port
          [a lv2:InputPort, lv2:AudioPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In"],
          [a lv2:OutputPort, lv2:AudioPort ; lv2:index 1 ; lv2:symbol "out" ; lv2:name "Out"],
          [a lv2:InputPort, lv2:ControlPort ; lv2:index 2 ; lv2:symbol "gain" ; lv2:name "Gain" ;
           lv2:default 1.0 ; lv2:minimum 0.0 ; lv2:maximum \(gainMaximum)] .
        """, to: "lv2/amp.lv2/amp.ttl")
  }

  /// Compiles the library; a linker makes a new file, `inPlace` overwrites the old one.
  private func compile(factor: String, inPlace: Bool = false) throws {
    let result = try Program.shell(
      "cc -O1 -shared -fPIC -DFACTOR=\(factor) \(bundles.path("amp.c")) -o new.so && "
        + (inPlace ? "cat new.so >" : "mv new.so") + " \(bundles.path("lv2/amp.lv2/amp.so"))",
      in: scratch)
    #expect(result.status == 0, "\(result.error)")
  }

  private func start(_ options: String...) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml", "--duration", "200"] + options, in: scratch)
    try wait(until: "it runs", of: running) { try run("status").contains("amp") }
    return running
  }

  private func run(_ arguments: String...) throws -> String {
    let result = try Program.run(arguments, in: scratch)
    return result.text + result.error
  }

  /// Waits for a level of the output of `amp`, in dBFS.
  private func wait(for level: Double, of running: Program.Running) throws {
    try wait(until: "\(level) dB", of: running) {
      let text = try Program.shell("$OUTBOARD top --json --count 1 --interval 0.3", in: scratch)
      guard
        let nodes = try? JSONSerialization.jsonObject(with: text.output) as? [[String: Any]],
        let peak = nodes.last?["peak"] as? Double
      else { return false }
      return abs(peak - level) < 0.1
    }
  }

  private func wait(
    until what: String, of running: Program.Running, _ isTrue: () throws -> Bool
  ) throws {
    try OutboardTests.wait(until: what, of: running, isTrue)
  }

  private func finish(_ running: Program.Running) throws -> Program.Result {
    kill(running.process.processIdentifier, SIGINT)
    return try running.finish()
  }

  @Test func `with a bad description is reported with its cause`() throws {
    let running = try start("--watch-plugins")
    let path = "lv2/amp.lv2/amp.ttl"
    let text = String(decoding: try bundles.data(path), as: UTF8.self)
    try bundles.write(text.replacing("\"gain\"", with: "\"ga in\""), to: path)
    try wait(until: "the reload fails", of: running) {
      running.errorText.contains("lilv rejects one of its")
    }
    let result = try finish(running)
    #expect(!result.error.contains("has no audio"), "\(result.error)")
  }

  @Test func `is reloaded with its values when its library or description is replaced`() throws {
    let running = try start("--watch-plugins")
    #expect(try !run("set", "amp", "gain=2").contains("outboard:"))
    try wait(for: -14, of: running)
    try compile(factor: "0.5f")
    try wait(for: -20, of: running)
    try compile(factor: "0.25f", inPlace: true)
    try wait(for: -26, of: running)
    try describe(gainMaximum: "8.0")
    try wait(until: "the range has changed", of: running) {
      try !run("set", "amp", "gain=8").contains("outboard:")
    }
    try wait(for: -14, of: running)
    let result = try finish(running)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("Reloaded Amp in"), "\(result.error)")
  }

  @Test func `that is damaged is reported, and reloaded when it is whole again`() throws {
    let running = try start("--watch-plugins")
    try wait(for: -20, of: running)
    try bundles.write("damaged", to: "lv2/amp.lv2/amp.so")
    try wait(until: "it is reported", of: running) {
      running.errorText.contains("Amp was not reloaded.")
    }
    try compile(factor: "0.5f")
    try wait(for: -26, of: running)
    #expect(try finish(running).status == 0)
  }

  @Test func `is not reloaded without the option`() throws {
    let running = try start()
    try wait(for: -20, of: running)
    #expect(try !run("top", "--count", "1").contains("own"))
    #expect(try finish(running).status == 0)
  }

  @Test func `is not watched without worker processes`() throws {
    for option in ["--no-helpers", "--check-realtime", "--wait-for-debugger"] {
      let result = try Program.run(
        ["run", "--rig", "rig.yaml", "--watch-plugins", option], in: scratch)
      #expect(result.status == 2)
      #expect(result.error.contains("--watch-plugins needs worker processes"), "\(result.error)")
    }
  }
}

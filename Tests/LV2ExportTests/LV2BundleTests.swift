// LV2BundleTests.swift: the LV2 data of a module, for hosts and for the shim. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import LV2Export

@Suite struct LV2BundleTests {
  private func module(_ change: (inout PluginDescription) -> Void = { _ in }) -> PluginDescription {
    var module = PluginDescription(
      kind: PluginKind(rawValue: "module"), identifier: "jane.echo", name: "Echo")
    module.audioInputs = [AudioPort(symbol: "left_in", name: "Left", group: "main")]
    module.audioOutputs = [AudioPort(symbol: "left_out", name: "Left", group: "main")]
    module.module = ModuleRequirements()
    change(&module)
    return module
  }

  private func bundle(
    uri: String? = nil, exports: LV2Bundle.Exports = LV2Bundle.Exports(),
    _ change: (inout PluginDescription) -> Void = { _ in }
  ) -> LV2Bundle {
    LV2Bundle(module(change), uri: uri, exports: exports)
  }

  @Test(arguments: [
    ("plain", "\"plain\""), ("a \"b\"", "\"a \\\"b\\\"\""), ("C:\\new", "\"C:\\\\new\""),
    ("two\nlines\r\tand", "\"two\\nlines\\r\\tand\""), ("Größe ♯", "\"Größe ♯\""),
    ("bell\u{7}", "\"bell\\u0007\""), ("crlf\r\n", "\"crlf\\r\\n\""), ("", "\"\""),
  ])
  func `a text is quoted as Turtle requires`(text: String, quoted: String) {
    #expect(Turtle.string(text) == quoted)
  }

  @Test(arguments: [
    ("urn:example:echo", true), ("https://example.org/echo#1", true), ("echo", false),
    ("https://", false), ("urn:", false), ("1rn:x", false), ("urn:a b", false), ("urn:<x>", false),
    ("urn:ö", false), ("urn:x\n", false), (":x", false),
    ("urn:" + String(repeating: "x", count: 2_044), true),
    ("urn:" + String(repeating: "x", count: 2_045), false),
  ])
  func `a URI is recognised as valid or invalid`(uri: String, isLegal: Bool) {
    #expect(LV2Bundle.isLegal(uri: uri) == isLegal)
  }

  @Test(arguments: [
    ("Echo", "Echo"), ("My effect / 2", "My-effect-2"), ("../x", "x"),
    ("♯", "outboard-jane-echo"), ("module", "outboard-jane-echo"),
  ])
  func `the bundle's name is valid on any file system`(name: String, expected: String) {
    #expect(bundle { $0.name = name }.name == expected)
  }

  @Test(arguments: [false, true])
  func `the data does not require separate buffers for inputs and outputs`(canRunInPlace: Bool) {
    // Ardour refuses plugins that declare it, and the shim copies inputs that would be overwritten.
    let text = bundle { $0.module?.canRunInPlace = canRunInPlace }.description
    #expect(text.contains("lv2:hardRTCapable") && !text.contains("inPlaceBroken"))
  }

  @Test func `the manifest names class, library and description`() {
    let text = bundle { $0.category = "reverb" }.manifest
    #expect(
      text == """
        @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

        <urn:outboard:module:jane.echo>
            a lv2:Plugin , lv2:ReverbPlugin ;
            lv2:binary <Echo.so> ;
            rdfs:seeAlso <Echo.ttl> .

        """)
  }

  @Test(arguments: [
    ("dB", "units:db"), ("Hz", "units:hz"), ("kHz", "units:khz"), ("ms", "units:ms"),
    ("%", "units:pc"), ("cents", "units:cent"), ("s", "units:s"),
    ("MHz", "units:mhz"),
  ])
  func `a unit of the vocabulary is written by its name`(unit: String, term: String) {
    #expect(LV2Unit.term(for: unit) == term)
  }

  @Test func `another unit is written as text`() {
    let term = LV2Unit.term(for: "%/s")
    #expect(term.contains("units:symbol \"%/s\""))
    #expect(term.contains("units:render \"%f %%/s\""))
  }

  @Test func `symbols of ports are unique, and parameters keep their symbols`() {
    let text = bundle(exports: LV2Bundle.Exports(latency: true)) {
      $0.acceptsMIDI = true
      $0.audioOutputs[0].symbol = "left_in"
      $0.parameters = ["left_in", "latency", "midi_in"].map { Parameter(symbol: $0, name: $0) }
    }.description
    let symbols = text.split(separator: "\n").filter { $0.hasPrefix("        lv2:symbol") }
    #expect(symbols.count == 7)
    #expect(Set(symbols).count == 7)
    for symbol in ["left_in", "latency", "midi_in"] {
      #expect(symbols.contains { $0.contains("\"\(symbol)\"") })
    }
  }

  @Test func `a side chain belongs to the main group and is optional`() {
    let text = bundle {
      $0.audioInputs.append(AudioPort(symbol: "key_in", name: "Key", group: "sidechain"))
    }.description
    #expect(text.contains("pg:sideChainOf <urn:outboard:module:jane.echo#main_in>"))
    #expect(text.contains("lv2:portProperty lv2:isSideChain , lv2:connectionOptional"))
    #expect(text.contains("pg:mainInput <urn:outboard:module:jane.echo#main_in>"))
  }

  @Test func `a licence with a URI is written as URI, another one as text`() {
    #expect(
      bundle { $0.licence = "mit" }.description
        .contains("doap:license <https://spdx.org/licenses/MIT>"))
    let own = bundle { $0.licence = "Ask Jane" }.description
    #expect(!own.contains("doap:license"))
    #expect(own.contains("rdfs:comment \"Licence: Ask Jane\""))
  }

  @Test(arguments: [false, true])
  func `a file is a path parameter that hosts can set`(acceptsMIDI: Bool) {
    let text = bundle {
      $0.acceptsMIDI = acceptsMIDI
      var file = Property(uri: "room", name: "Room", type: .path)
      file.summary = "Up to 60 s."
      $0.properties = [file]
    }.description
    #expect(
      text.contains(
        """
        <urn:outboard:module:jane.echo#room>
            a lv2:Parameter ;
            rdfs:label "Room" ;
            rdfs:comment "Up to 60 s." ;
            rdfs:range atom:Path ;
        """))
    #expect(text.contains("patch:writable <urn:outboard:module:jane.echo#room>"))
    #expect(text.contains("lv2:extensionData state:interface , work:interface"))
    let supported = acceptsMIDI ? "midi:MidiEvent , patch:Message" : "patch:Message"
    #expect(text.contains("atom:supports \(supported) ;"))
    #expect(text.contains("lv2:symbol \"notify\""))
    // It works without files if a host has neither worker nor messages.
    let required = text.split(separator: "\n").filter { $0.contains("lv2:requiredFeature") }
    #expect(required.allSatisfy { !$0.contains("work:schedule") })
  }

  @Test func `a module without files has neither worker nor messages`() {
    let text = bundle(exports: LV2Bundle.Exports(state: true)) { $0.acceptsMIDI = true }.description
    #expect(!text.contains("work:") && !text.contains("patch:") && !text.contains("notify"))
  }

  @Test func `the data preserve every value to the bit`() {
    let facts = bundle(exports: LV2Bundle.Exports(state: true)) {
      $0.acceptsMIDI = true
      $0.parameters = [
        Parameter(symbol: "a", name: "A", minimum: -1, defaultValue: 0.1, maximum: 1),
        Parameter(
          symbol: "b", name: "B", minimum: 0, defaultValue: 1, maximum: 1, scale: .integer,
          choices: [.init(value: 0, name: "x"), .init(value: 1, name: "y")], isEnumeration: true),
      ]
      $0.properties = [Property(uri: "room", name: "Room", type: .path)]
      $0.module?.smoothingSeconds = [0.02, 0.02]
      $0.module?.block = .multiple(of: 64)
      $0.module?.ratesHz = [44_100, 48_000]
    }.facts
    #expect(
      facts == """
        outboard-module 4
        uri urn:outboard:module:jane.echo
        inputs 1
        outputs 1
        block multiple_of 64
        rates 2
        rate 44100
        rate 48000
        midi 1
        latency 1
        state 1
        globals 0
        in_place 0
        readouts 0
        files 1
        file urn:outboard:module:jane.echo#room
        parameters 2
        parameter continuous bf800000 3dcccccd 3f800000 3f947ae147ae147b 0
        parameter integer 0 3f800000 3f800000 0 2 0 3f800000

        """)
  }
}

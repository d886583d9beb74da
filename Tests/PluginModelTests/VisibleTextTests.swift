// VisibleTextTests.swift: escaping of control characters, and long texts. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PluginModel

@Suite struct `Untrusted text` {
  @Test(arguments: [
    ("plain", "plain"), ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ("\u{1b}[2J", "\\u{1B}[2J"), ("\u{1b}]0;title\u{07}", "\\u{1B}]0;title\\u{7}"),
    ("a\u{7f}b", "a\\u{7F}b"), ("\u{9b}31m", "\\u{9B}31m"), ("a\u{0}b", "a\\u{0}b"),
    ("\u{202e}fdp.exe", "\\u{202E}fdp.exe"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
    ("\u{200f}\u{61c}", "\\u{200F}\\u{61C}"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
    ("a\rb", "a\\u{D}b"), ("a\r\nb", "a\nb"), ("a\r", "a\\u{D}"), ("\r\r\n", "\\u{D}\n"),
    ("a\u{8}\u{8}b", "a\\u{8}\\u{8}b"),
    ("Größe 音響 e\u{301} 👩‍🚀", "Größe 音響 e\u{301} 👩‍🚀"),
  ])
  func `is shown without steering the terminal`(text: String, shown: String) {
    #expect(text.visible == shown)
  }

  @Test func `has every control character escaped, and no other`() {
    for value in UInt32(0) ..< 0x3000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      let isControl =
        scalar.properties.generalCategory == .control && ![0x09, 0x0a].contains(value)
      let isBidirectional = scalar.properties.isBidiControl
      if isControl || isBidirectional {
        #expect(text.visible != text, "U+\(String(value, radix: 16))")
      }
      if scalar.properties.isAlphabetic { #expect(text.visible == text) }
    }
  }

  @Test func `has the same value in JSON`() throws {
    let text = "\u{1b}[2J \u{7f} \u{9b} \u{202e} \u{2028} \r\n Größe"
    let data = try JSONEncoder().encode([text])
    let shown = String(decoding: data, as: UTF8.self).visibleInJSON
    #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f ..< 0xa0 ~= $0.value) })
    #expect(!shown.contains("\u{202e}"))
    #expect(try JSONDecoder().decode([String].self, from: Data(shown.utf8)) == [text])
  }

  @Test func `is clipped if it is too long`() {
    #expect("abc".clipped(to: 3) == "abc")
    #expect("abcd".clipped(to: 3) == "abc…")
    #expect("ääää".clipped(to: 4) == "ääää")
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(marks.clipped(to: 200).utf8.count < 1_000)
  }
}

@Suite struct `A description with a text of a megabyte` {
  private let huge = String(repeating: "x", count: 1 << 20)

  @Test func `keeps the start of the readable text`() {
    var plugin = PluginDescription(
      kind: PluginKind(rawValue: "lv2"), identifier: "urn:x", name: huge)
    plugin.maker = huge
    plugin.summary = huge
    plugin.parameters = [
      Parameter(
        symbol: "a", name: huge, unit: huge, choices: [.init(value: 0, name: huge)])
    ]
    plugin.audioInputs = [AudioPort(symbol: "in", name: huge, group: huge)]
    var property = Property(uri: "urn:p", name: huge, type: .string)
    property.summary = huge
    plugin.properties = [property]
    plugin.presets = [ParameterPreset(name: huge, values: [])]
    let clipped = plugin.clipped
    #expect(clipped.name == String(repeating: "x", count: 200) + "…")
    #expect("\(clipped)".utf8.count < 20_000)
    #expect(clipped.refusal == nil)
    #expect(clipped.clipped == clipped)
  }

  @Test func `is refused if the text is a name`() {
    let long = PluginDescription(kind: PluginKind(rawValue: "lv2"), identifier: huge, name: "Long")
    #expect(
      long.clipped.refusal == "The identifier of Long has 1048576 bytes; 2000 is the limit.")
    #expect(long.clipped.identifier.utf8.count < 3_000)
    var port = PluginDescription(
      kind: PluginKind(rawValue: "lv2"), identifier: "urn:x", name: "Port")
    port.parameters = [Parameter(symbol: huge, name: "a")]
    #expect(
      port.clipped.refusal == "A port of Port has a symbol of 1048576 bytes; 500 is the limit.")
  }

  @Test func `is one line as a name`() {
    var plugin = PluginDescription(
      kind: PluginKind(rawValue: "lv2"), identifier: "urn:x", name: "A\nB\r\nC\u{2028}D")
    plugin.parameters = [Parameter(symbol: "a", name: "Mix\noutboard: all is lost")]
    #expect(plugin.clipped.name == "A B C D")
    #expect(plugin.clipped.parameters[0].name == "Mix outboard: all is lost")
  }
}

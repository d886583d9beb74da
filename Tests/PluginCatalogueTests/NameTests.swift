// NameTests.swift: tests of NameResolution.swift and CatalogueFilter. SPDX-License-Identifier: MIT

import Foundation
import LV2Host
import PluginModel
import Testing

@testable import PluginCatalogue

@Suite struct `Naming plugins` {
  private func entry(
    _ name: String, _ identifier: String, category: String = "", kind: PluginKind = .lv2,
    inputs: Int = 2, outputs: Int = 2
  ) -> CatalogueEntry {
    var plugin = PluginDescription(kind: kind, identifier: identifier, name: name)
    plugin.category = category
    plugin.audioInputs = (0 ..< inputs).map { AudioPort(symbol: "in\($0)", name: "In") }
    plugin.audioOutputs = (0 ..< outputs).map { AudioPort(symbol: "out\($0)", name: "Out") }
    return CatalogueEntry(ScannedPlugin(plugin), source: "lv2", unit: "/x")
  }

  private func names(_ entries: [CatalogueEntry]) -> NameResolution {
    NameResolution(entries, preferring: [.module])
  }

  private var entries: [CatalogueEntry] {
    [
      entry("Delay", "urn:a:delay", category: "Delay"),
      entry("Tape Delay", "urn:a:tape", category: "Delay", inputs: 1, outputs: 1),
      entry("Hall Reverb", "urn:b:hall", category: "Reverb"),
      entry("Plate", "org.test.plate", category: "Reverb", kind: .module),
      entry("Twin", "urn:c:one"), entry("twin", "urn:c:two"),
    ]
  }

  private func resolve(_ name: String) throws(CatalogueError) -> String {
    try names(entries).resolve(name).identifier
  }

  @Test func `an identifier, a name and an unambiguous part each select a plugin`() throws {
    #expect(try resolve("urn:b:hall") == "urn:b:hall")
    #expect(try resolve("HALL reverb") == "urn:b:hall")
    #expect(try resolve("hall") == "urn:b:hall")
    #expect(try resolve("test.plate") == "org.test.plate")
  }

  @Test func `a complete name has precedence over names that contain it`() throws {
    #expect(try resolve("delay") == "urn:a:delay")
  }

  @Test func `a native module has precedence over LV2 plugins with the same name`() throws {
    let shared = [
      entry("reverb", "urn:lv2:a"), entry("Reverb", "org.test.reverb", kind: .module),
      entry("REVERB", "urn:lv2:b"),
    ]
    #expect(try names(shared).resolve("reverb").identifier == "org.test.reverb")
    #expect(try names(shared).resolve("urn:lv2:b").identifier == "urn:lv2:b")
    let twice = shared + [entry("Reverb", "com.other.reverb", kind: .module)]
    #expect(throws: CatalogueError.self) { try names(twice).resolve("reverb") }
  }

  /// The names and ids of all shipped modules.
  private static let shipped: [(name: String, id: String)] = {
    let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/modules").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.sorted().map { file in
      let lines =
        (try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8))?.split(
          separator: "\n")
        ?? []
      func value(_ key: String) -> String {
        lines.first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) } ?? ""
      }
      return (value("name"), value("id"))
    }
  }()

  @Test func `the name of a shipped module selects it in any spelling, with any plugins installed`()
    throws
  {
    try #require(Self.shipped.count > 20)
    let rivals = Self.shipped.flatMap { name, id in
      [
        entry(name.uppercased(), "urn:lv2:a:\(id)"),
        entry(name.filter(\.isLetter), "urn:lv2:b:\(id)"), entry("\(name) Pro", "urn:lv2:c:\(id)"),
        entry(name.capitalized, "urn:lv2:d:\(id)"),
      ]
    }
    let all = names(
      rivals + Self.shipped.map { entry($0.name, $0.id, kind: .module) })
    for (name, id) in Self.shipped {
      let words = name.split { !$0.isLetter }.map(String.init)
      let spellings =
        [" ", "-", "_", "", ".", "  "].map { words.joined(separator: $0) }
        + [words.map(\.capitalized).joined(), String(id.split(separator: ".").last ?? ""), id]
      for spelling in spellings.flatMap({ [$0, $0.lowercased(), $0.uppercased()] }) {
        #expect(try all.resolve(spelling).identifier == id, "\(spelling)")
      }
    }
  }

  @Test func `an LV2 plugin's name may be written without its punctuation`() throws {
    let plugins = [
      entry("Low-Pass / Mono", "urn:a"), entry("Low Pass", "urn:b"), entry("Delay", "urn:c"),
    ]
    #expect(try names(plugins).resolve("lowpassmono").identifier == "urn:a")
    #expect(try names(plugins).resolve("low-pass").identifier == "urn:b")
  }

  @Test func `an ambiguous name lists the candidates`() {
    let error = #expect(throws: CatalogueError.self) { try resolve("urn:a") }
    #expect(
      error?.description
        == "\"urn:a\" is ambiguous (2 plugins): Delay (urn:a:delay), Tape Delay (urn:a:tape). "
        + "Use a longer name, the URI or the id.")
    #expect(throws: CatalogueError.self) { try resolve("Twin") }
  }

  @Test func `a misspelt id lists the module with a similar id first`() {
    let names = names([
      entry("GVerb", "urn:a:gverb"), entry("MVerb", "urn:a:mverb"),
      entry("Reverb", "outboard.reverb", kind: .module),
    ])
    let error = #expect(throws: CatalogueError.self) { try names.resolve("outboard.rverb") }
    #expect(
      error?.description.hasPrefix(
        "No such plugin: \"outboard.rverb\". Similar plugins: Reverb (outboard.reverb), ") == true)
  }

  @Test func `a misspelt name lists the nearest`() {
    let error = #expect(throws: CatalogueError.self) { try resolve("Tape Dlay") }
    #expect(
      error?.description
        == "No such plugin: \"Tape Dlay\". Similar plugins: Tape Delay (urn:a:tape).")
  }

  @Test func `a name without similar ones is unknown, and an empty one selects nothing`() {
    let error = #expect(throws: CatalogueError.self) { try resolve("xyzzyxyzzy") }
    #expect(
      error?.description
        == "No such plugin: \"xyzzyxyzzy\". Run `outboard list` to see all plugins.")
    #expect(throws: CatalogueError.empty) { try resolve("  ") }
  }

  @Test(arguments: [
    ("outboard.equaliser", ["Equaliser"]), ("outboard.gian", ["Gain"]), ("outboard.nosuch", []),
    ("outboard.Compresor", ["Compressor"]),
  ])
  func `ids are compared without their common prefix`(wrong: String, names: [String]) {
    let modules = [
      ("Equaliser", "parametric-eq"), ("Gain", "gain"), ("Chorus", "chorus"), ("Echo", "echo"),
      ("Compressor", "compressor"),
    ].map { entry($0, "outboard.\($1)", kind: .module) }
    do throws(CatalogueError) {
      _ = try NameResolution(modules).resolve(wrong)
      Issue.record("\(wrong) is resolved")
    } catch {
      #expect(
        error
          == .unknown(
            name: wrong,
            nearest: names.map { name in
              modules.first { $0.name == name }?.candidate
            }.compactMap(\.self)))
    }
  }

  @Test func `more than eight candidates are counted, not listed`() {
    let many = (0 ..< 20).map { CatalogueError.Candidate(name: "P\($0)", identifier: "urn:\($0)") }
    let message = CatalogueError.ambiguous(name: "p", candidates: many).description
    #expect(message.contains("P7 (urn:7) and 12 more."))
    #expect(!message.contains("P8"))
  }

  @Test func `a plugin must match every part of a filter`() {
    func shown(_ adjust: (inout CatalogueFilter) -> Void) -> [String] {
      var filter = CatalogueFilter()
      adjust(&filter)
      return entries.filter { filter.matches($0) }.map(\.identifier)
    }
    #expect(shown { _ in }.count == 6)
    #expect(shown { $0.text = "REVERB" } == ["urn:b:hall", "org.test.plate"])
    #expect(shown { $0.text = "reverb hall" } == ["urn:b:hall"])
    #expect(shown { $0.kind = .module } == ["org.test.plate"])
    #expect(shown { $0.category = "delay" } == ["urn:a:delay", "urn:a:tape"])
    #expect(
      shown {
        $0.category = "delay"
        $0.audioInputCount = 1
        $0.audioOutputCount = 1
      } == ["urn:a:tape"])
  }
}

extension PluginKind {
  /// The kind whose names have precedence.
  fileprivate static let module = PluginKind(rawValue: "module")
}

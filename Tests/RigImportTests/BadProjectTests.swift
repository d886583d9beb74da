// BadProjectTests.swift: projects that cannot be imported. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import RigImport
import Testing

@Suite struct `Bad projects are refused with one sentence` {
  private func message(_ text: String) -> String {
    do {
      _ = try ProjectFormats.read(ProjectSource(path: "song", text: text))
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    "", "hello", "{}", "<html/>", "add 1 2",
  ])
  func `a text of another kind is not a project`(text: String) {
    #expect(
      message(text)
        == "song is not a project that Outboard can import. It imports projects and presets of Carla, LV2,"
        + " mod-host, MOD, EasyEffects, PipeWire and ecasound.")
  }

  @Test(arguments: [
    ("<CARLA-PROJECT", "song:1: this is not valid XML: unclosed token."),
    ("<CARLA-PROJECT><Plugin>", "song:1: this is not valid XML: no element found."),
    (
      "<!DOCTYPE a [<!ENTITY b \"c\">]>\n<CARLA-PROJECT>&b;</CARLA-PROJECT>",
      "song:1: this is not valid XML: it declares entities."
    ),
    (
      "<CARLA-PROJECT>" + String(repeating: "<a>", count: 10_000),
      "song:1: this is not valid XML: it is nested more than 64 levels deep."
    ),
    (
      "{\"plugins_order\": " + String(repeating: "[", count: 10_000),
      "song:1: this is not valid JSON: it is nested more than 64 levels deep."
    ),
    (
      "{\"output\": {\"plugins_order\": [\n\"a\"",
      "song:2: this is not valid JSON: it ends inside of brackets."
    ),
    (
      "filter.graph = {\n nodes = \"abc",
      "song:2: this is not valid SPA-JSON: the quoted text of line 2 has no end."
    ),
    (
      "# http://lv2plug.in/ns/ext/presets# appliesTo\n<> "
        + String(repeating: "[ <a> ", count: 100_000),
      "song:1: this is not valid Turtle: it is nested more than 64 levels deep."
    ),
    (
      "# http://lv2plug.in/ns/ext/presets# appliesTo\n<> <a> ;",
      "song:2: this is not valid Turtle: a statement is incomplete."
    ),
  ])
  func `broken syntax is reported with its line`(text: String, expected: String) {
    #expect(message(text) == expected + " Save the project again.")
  }

  @Test func `a newer version is named`() {
    #expect(
      message("<CARLA-PROJECT VERSION='3.1'></CARLA-PROJECT>")
        == "song was written by Carla 3.1, and only versions up to 2 can be imported. Save it with an older"
        + " version.")
  }

  @Test func `a project without plugins fails`() {
    let source = ProjectSource(path: "song", text: "<CARLA-PROJECT VERSION='2.5'></CARLA-PROJECT>")
    let error = #expect(throws: ImportError.self) { try ProjectFormats.read(source) }
    #expect(error == .nothing(path: "song", format: "Carla project"))
    #expect(error?.exitStatus == 1)
  }

  @Test func `several presets or chains are listed`() {
    let preset =
      "<#NAME> <http://lv2plug.in/ns/lv2core#appliesTo> <a:b> ; a <http://lv2plug.in/ns/ext/presets#Preset> .\n"
    #expect(
      message(preset.replacing("NAME", with: "a") + preset.replacing("NAME", with: "b"))
        == "song contains 2 presets: file.ttl#a, file.ttl#b. Name the file of one.")
    let chain =
      "{ name = libpipewire-module-filter-chain args = { filter.graph = {} node.name = x } }"
    #expect(
      message("context.modules = [ \(chain) \(chain) ]")
        == "song contains 2 filter chains: x, x. Name the file of one.")
  }

  @Test func `a project cannot multiply its nodes or connections without limit`() throws {
    let plugins = (0 ..< 5000).map { "add http://example.org/p 0\($0)" }.joined(separator: "\n")
    #expect(try ProjectFormats.read(ProjectSource(path: "song", text: plugins)).nodes.count == 1001)
    // Each mixer has eight connections to the next one.
    let names = (0 ..< 40).map { "m\($0)" }
    let mixers = names.map { "{ type = builtin name = \($0) label = mixer }" }
    let links = zip(names, names.dropFirst()).flatMap { from, to in
      (1 ... 8).map { "{ output = \"\(from):Out\" input = \"\(to):In \($0)\" }" }
    }
    let text =
      "filter.graph = { nodes = [ \(mixers.joined()) { type = lv2 plugin = \"a:b\" name = x } ] links = ["
      + " \(links.joined()) { output = \"m39:Out\" input = \"x:in\" } ] }"
    let project = try ProjectFormats.read(ProjectSource(path: "song", text: text))
    #expect(project.connections.count <= 20_000)
  }

  @Test func `files and directories that cannot be read are named`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path
    try Data([0x7F, 0, 1, 2]).write(to: directory.appending(path: "data"))
    try Data(repeating: 32, count: 16_000_001).write(to: directory.appending(path: "huge"))
    for (name, expected) in [
      (
        "",
        "\(path) contains no LV2 preset, LV2 state or MOD pedalboard. Name the file of the project."
      ),
      ("/gone", "\(path)/gone: no such file."),
      (
        "/huge",
        "\(path)/huge is larger than 16 MB, the limit for a project. Check the file name."
      ),
    ] {
      let error = #expect(throws: (any Error).self) { try ProjectFormats.read(path: path + name) }
      #expect(error.map { "\($0)" } == expected)
    }
    #expect(throws: ImportError.unknownFormat(path: "\(path)/data")) {
      try ProjectFormats.read(path: path + "/data")
    }
  }
}

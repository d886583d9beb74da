// CarriedCommentsTests.swift: comments of a text that is written again. SPDX-License-Identifier: MIT

import Foundation
import Manifests
import RigSchema
import Testing

@Suite struct `Comments that are carried to a new text` {
  @Test(arguments: ["mic-chain", "voice-and-guitar", "broadcast-voice", "ducked-music", "looper"])
  func `are all there, and change no value`(name: String) throws {
    let path = RigDirectories.path(of: name)
    let old = try String(contentsOfFile: path, encoding: .utf8)
    let rig = try RigReader.read(text: old, file: path)
    let new = RigWriter.text(of: rig)
    let carried = YAMLComments.carried(from: old, to: new)
    func comments(_ text: String) -> [String] {
      text.matches(of: /(?m)(?:^|\s)#(.*)$/).map { String($0.output.1) }.sorted()
    }
    #expect(!comments(old).isEmpty)
    #expect(comments(carried) == comments(old))
    let again = try RigReader.read(text: carried, file: path)
    #expect(RigWriter.text(of: again) == new)
    // A second time nothing moves.
    #expect(YAMLComments.carried(from: carried, to: new) == carried)
  }

  @Test(arguments: [
    // Values that look like comments.
    ("a: \"x # y\" # z\n", "a: \"x # y\"\n", "a: \"x # y\" # z\n"),
    ("a: it's # z\n", "a: it's\n", "a: it's # z\n"),
    ("a: 'it''s # no' # z\n", "a: 'it''s # no'\n", "a: 'it''s # no' # z\n"),
    ("a: \"\\\\\" # z\n", "a: \"\\\\\"\n", "a: \"\\\\\" # z\n"),
    ("a: x#y\n", "a: x#y\n", "a: x#y\n"),
    // A value that is gone, a mapping that is gone, an item that is gone.
    ("m:\n  # one\n  a: 1 # two\n  b: 2\n", "m:\n  b: 2\n", "# one\n# two\nm:\n  b: 2\n"),
    ("m:\n  # one\n  a: {b: 1}\n  c: 2\n", "m:\n  c: 2\n", "m:\n  c: 2\n"),
    ("- a # one\n- b # two\n", "- b\n", "- b # two\n"),
    // Other line ends; comments alone; no YAML.
    ("# x\r\na: 1\r\n", "a: 1\n", "# x\na: 1\n"),
    ("# x\n", "a: 1\n", "a: 1\n"),
    ("a: [\n# x\n", "a: 1\n", "a: 1\n"),
    // A text of several lines keeps its own `#`.
    ("a: |\n  # b\nc: 1\n", "a: \"# b\\n\"\nc: 1\n", "a: \"# b\\n\"\n# b\nc: 1\n"),
  ])
  func `stay with their keys`(old: String, new: String, expected: String) {
    let carried = YAMLComments.carried(from: old, to: new)
    #expect(carried.replacing(/[ ]+#/, with: " #") == expected.replacing(/[ ]+#/, with: " #"))
  }
}

// SourceCommentTests.swift: manifests in comments. SPDX-License-Identifier: MIT

import Testing

@testable import ModuleBuild

@Suite struct SourceCommentTests {
  private func comment(_ text: String) -> SourceComment? { SourceComment(in: SourceText(text)) }

  @Test func `one line is a mapping, with or without braces`() {
    let bare = comment("int x;\n// outboard: inputs: 1, outputs: 2  \nint y;")
    #expect(bare?.text == "\n            {inputs: 1, outputs: 2}")
    #expect(bare?.isInBraces == true)
    #expect(comment("// outboard: {inputs: 1}")?.text == "             {inputs: 1}")
    #expect(comment("/* outboard: inputs: 1 */")?.text == "            {inputs: 1}")
  }

  @Test func `a block keeps its lines and columns`() {
    let lines = comment("\n// outboard:\n//   inputs: 1\n//   outputs: 2\n\n// more")
    #expect(lines?.text == "\n\n     inputs: 1\n     outputs: 2")
    #expect(lines?.isInBraces == false)
    let starred = comment("/* outboard:\n * inputs: 1\n * outputs: 2\n */")
    #expect(starred?.text == "\n   inputs: 1\n   outputs: 2\n ")
  }

  @Test func `text may precede it`() {
    #expect(
      comment("// An echo.\n//\n// outboard:\n//   inputs: 1")?.text == "\n\n\n     inputs: 1")
  }

  @Test func `other comments, code and strings are skipped`() {
    #expect(comment("// an outboard: motor\n/* text */ outboard: x;") == nil)
    #expect(comment("char *s = \"// outboard: inputs: 1\";") == nil)
    #expect(
      comment("// first\nint x;\n// outboard: inputs: 3")?.text == "\n\n            {inputs: 3}")
  }
}

// SpellingTests.swift: suggestions for misspelt words. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@Suite struct SpellingTests {
  @Test(arguments: [
    ("paramters", "parameters"), ("revreb", "reverb"), ("DECAY", "decay"), ("mx", "mix"),
    ("outputt", "output"), ("license", "licence"),
  ])
  func `for a misspelt word the intended one is suggested`(written: String, meant: String) {
    let words = ["reverb", "parameters", "decay", "mix", "output", "licence"]
    #expect(nearest(to: written, among: words) == meant)
  }

  @Test(arguments: ["volume", "", "xyz", "a", "reverberation"])
  func `for a word unlike any known word none is suggested`(written: String) {
    #expect(nearest(to: written, among: ["reverb", "b", "mix"]) == nil)
  }

  @Test func `of several similar words the nearest is suggested`() {
    #expect(nearest(to: "gain_3", among: ["gain_21", "gain_1", "pan_3"]) == "gain_1")
    #expect(nearest(to: "inptus", among: ["outputs", "inputs"]) == "inputs")
  }

  @Test func `swapping neighbours is one edit, changing a letter twice is two`() {
    #expect(editDistance(from: Array("ab"), to: Array("ba")) == 1)
    #expect(editDistance(from: Array("ca"), to: Array("abc")) == 3)
    #expect(editDistance(from: Array("kitten"), to: Array("sitting")) == 3)
    #expect(editDistance(from: [], to: Array("four")) == 4)
  }
}

// SearchTests.swift: words, synonyms and ranks of the search by purpose. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import PluginCatalogue

@Suite struct `Search by purpose` {
  private func plugin(
    _ name: String, category: String = "", summary: String = "",
    kind: PluginKind = PluginKind(rawValue: "lv2"),
    presets: [String] = []
  ) -> PluginDescription {
    var plugin = PluginDescription(kind: kind, identifier: "test:\(name)", name: name)
    plugin.category = category
    plugin.summary = summary
    plugin.presets = presets.map { ParameterPreset(name: $0, values: []) }
    return plugin
  }

  private func names(_ request: String, _ plugins: [PluginDescription]) -> [String] {
    SearchIndex(plugins, hasCommands: false).search(request).matches.map(\.name)
  }

  @Test func `words are lower-case, without punctuation, and divided by capitals`() {
    #expect(SearchText.words("MDA SubSynth, De-ess!") == ["mda", "sub", "synth", "de", "ess"])
    #expect(SearchText.words("EQ3 (mono)") == ["eq3", "mono"])
    #expect(SearchText.words("  ") == [])
  }

  @Test(arguments: [
    ["compressor", "compression", "compressing", "compressed", "compress"],
    ["equaliser", "equalizer", "equalise", "equalization"],
    ["limiter", "limiting", "limit"],
  ])
  func `forms of a word have one stem`(words: [String]) {
    #expect(Set(words.map(SearchText.stem)).count == 1, "\(words.map(SearchText.stem))")
  }

  @Test func `short words keep their endings`() {
    #expect(SearchText.stem("gate") == "gate" && SearchText.stem("bass") == "bass")
  }

  @Test func `denoisers come before gates, and before a preferred gate`() {
    let module = PluginKind(rawValue: "module")
    let plugins = [
      plugin("Gate", category: "Gate", summary: "A noise gate that closes softly.", kind: module),
      plugin("Noise Gate", category: "Gate"),
      plugin("Noise Repellent", category: "Spectral"),
      plugin("Speech Denoiser"),
      plugin("Noise Suppression for Voice"),
      plugin("Clean", summary: "Broadband noise reduction"),
    ]
    for request in ["remove noise", "denoise", "background noise"] {
      let found = SearchIndex(plugins, preferring: [module], hasCommands: false)
        .search(request).matches.map(\.name)
      #expect(found.count == plugins.count, "\(request): \(found)")
      #expect(Set(found.suffix(2)) == ["Gate", "Noise Gate"], "\(request): \(found)")
    }
  }

  @Test func `a request is split into the longest known phrases`() {
    let terms = SearchSynonyms.standard.terms(of: "duck music under the voice")
    #expect(terms.map(\.text) == ["duck music", "voice"])
    #expect(SearchSynonyms.standard.terms(of: "tune my guitar").map(\.text) == ["tune my guitar"])
    #expect(
      SearchSynonyms.standard.terms(of: "stop the mic from clipping").map(\.text) == [
        "stop the mic from clipping"
      ])
    #expect(SearchSynonyms.standard.terms(of: "widen the stereo image").map(\.text) == ["widen"])
    #expect(SearchSynonyms.standard.terms(of: "the").map(\.text) == ["the"])
    #expect(SearchSynonyms.standard.terms(of: "").isEmpty)
  }

  @Test func `a line of the table has phrases on both sides`() {
    for line in SearchTables.synonyms.split(separator: "\n") {
      #expect(line.split(separator: "=").count == 2, "\(line)")
    }
    let synonyms = SearchSynonyms("loud thing, boom = big + bang, noise\nwithout sides")
    let term = synonyms.terms(of: "Loud Things")
    #expect(term.count == 1)
    #expect(
      term.first?.alternatives == [[["loud", "thing"]], [["big"], ["bang"]], [["nois"]]])
  }

  @Test func `a name counts more than a category, a description and a preset`() {
    let plugins = [
      plugin("D", presets: ["Hall"]), plugin("C", summary: "A hall in a box."),
      plugin("B", category: "Hall"), plugin("Hall"), plugin("E", category: "Gate"),
    ]
    #expect(names("hall", plugins) == ["Hall", "B", "C", "D"])
  }

  @Test func `matches with more words come first, and others are left out`() {
    let plugins = [
      plugin("Flanger"), plugin("Warm flanger"),
      plugin("Flanger for voice", summary: "Warm sound."),
    ]
    #expect(Set(names("flanger warm", plugins)) == ["Warm flanger", "Flanger for voice"])
    #expect(names("flanger warm", plugins).first == "Warm flanger")
    // What is processed does not leave out the rest.
    let guitar = [plugin("Flanger"), plugin("Guitar flanger"), plugin("Guitar")]
    #expect(names("flanger guitar", guitar) == ["Guitar flanger", "Flanger"])
  }

  @Test func `a vendor, presets and parameters do not outweigh a purpose`() {
    var tuner = plugin("Guitarix Tuner")
    tuner.maker = "Guitarix team"
    let instrument = plugin("Wave player", presets: ["Tuned bells", "Guitar solo"])
    let plugins = [
      instrument, tuner, plugin("Tuner", kind: PluginKind(rawValue: "module")),
      plugin("Guitar amplifier"),
    ]
    let found = SearchIndex(
      plugins, preferring: [PluginKind(rawValue: "module")], hasCommands: false
    ).search("tuner guitar").matches.map(\.name)
    #expect(found == ["Tuner", "Guitarix Tuner"])
  }

  @Test func `words of different presets are not one purpose`() {
    let plugins = [
      plugin("Player", presets: ["Robot", "Voice", "Broken robot"]),
      plugin("Box", presets: ["Robot voice"]), plugin("Robot maker"),
    ]
    // The request has two terms, because the words are not in the order of a known phrase.
    let found = SearchIndex(plugins, hasCommands: false).search("voice robot").matches
    #expect(found.map(\.name) == ["Robot maker", "Box", "Player"])
    #expect(found.map(\.reasons.count) == [1, 2, 1])
  }

  @Test func `a request that is the whole name of a preset finds its plugin first`() {
    let plugins = [
      plugin("Vocal reverb", summary: "A hall for voices."), plugin("Vocal hall plate"),
      plugin("Box", presets: ["Small room", "Vocal Hall"]),
    ]
    let found = SearchIndex(plugins, hasCommands: false).search("vocal hall").matches
    #expect(found.first?.name == "Box")
    let reasons = found.first?.reasons ?? []
    #expect(!reasons.isEmpty)
    #expect(reasons.allSatisfy { ($0.field, $0.text) == (.preset, "Vocal Hall") }, "\(reasons)")
    #expect(found.count == 3)
    // One word counts as a purpose, too.
    let warm = [
      plugin("Tube", summary: "A warm sound."), plugin("Warm tape"),
      plugin("Crunch", summary: "Distortion.", presets: ["Warm"]),
    ]
    #expect(names("warm", warm).first == "Warm tape")
    let crunch = SearchIndex(warm, hasCommands: false).search("warm").matches.first {
      $0.name == "Crunch"
    }
    #expect(crunch?.reasons.map(\.field) == [.preset])
  }

  @Test func `preferred kinds come first among equals, and unusable plugins last`() {
    var broken = plugin("Phaser three", category: "Phaser")
    broken.refusal = "It is broken."
    let plugins = [
      broken, plugin("Phaser one", category: "Phaser"),
      plugin("Phaser two", category: "Phaser", kind: PluginKind(rawValue: "module")),
    ]
    let found = SearchIndex(plugins, preferring: [PluginKind(rawValue: "module")]).search("phaser")
      .matches
    #expect(found.map(\.name) == ["Phaser two", "Phaser one", "Phaser three"])
    #expect(found.allSatisfy { $0.reasons.first?.words == "phaser" })
  }

  @Test func `a long text is shown around the match`() {
    let text =
      "Stereo effect with many uses: echo cancellation, noise reduction and levelling of speech."
    let match = SearchIndex([plugin("X", summary: text)]).search("denoise").matches.first
    #expect(match?.reasons.first?.field == .description)
    #expect(match?.reasons.first?.text == "… echo cancellation noise reduction and levelling …")
  }

  @Test func `nothing found suggests similar words`() {
    let answer = SearchIndex([plugin("Reverb")]).search("revreb")
    #expect(answer.matches.isEmpty && answer.suggestions.first == "reverb", "\(answer)")
    #expect(SearchIndex([]).search("qqqqqqqqq").suggestions.isEmpty)
  }
}

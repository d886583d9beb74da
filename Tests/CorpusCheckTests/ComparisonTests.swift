// ComparisonTests.swift: results that count as a regression of the corpus. SPDX-License-Identifier: MIT

import Testing

@testable import corpus_check

@Suite struct `A run of the corpus` {
  private func row(
    _ identifier: String, _ outcome: Outcome, _ reason: String = "", package: String = "one"
  ) -> Row {
    Row(identifier: identifier, package: package, outcome: outcome, reason: reason)
  }

  private func compare(
    _ found: [Row], _ table: [Row], excusing excused: Set<String> = []
  ) -> Comparison {
    Comparison(found, with: table, of: ["one"], excusing: excused)
  }

  @Test(arguments: [
    (Outcome.hosted, Outcome.faulty), (.hosted, .refused), (.hosted, .crashes), (.faulty, .refused),
    (.refused, .crashes),
  ])
  func `fails for a plugin with a worse result than in the table`(before: Outcome, after: Outcome) {
    let comparison = compare([row("a", after, "Why.")], [row("a", before)])
    #expect(comparison.lost.map(\.before.identifier) == ["a"])
    #expect(comparison.lines == ["FAILED  a: \(after): Why.; was \(before)"])
    let reverse = compare([row("a", before)], [row("a", after, "Why.")])
    #expect(reverse.lost.isEmpty)
    #expect(reverse.lines == ["better: a: \(before); was \(after) (Why.)"])
  }

  @Test func `fails for a plugin that no longer exists`() {
    let comparison = compare([], [row("a", .crashes, "It crashed.")])
    #expect(comparison.lines == ["FAILED  a: gone, was crashes (It crashed.)"])
  }

  @Test func `reports new and changed results, and fails for neither`() {
    let comparison = compare(
      [row("a", .hosted), row("b", .refused, "No."), row("c", .hosted)],
      [row("a", .hosted), row("b", .refused, "Never.")])
    #expect(comparison.lost.isEmpty)
    #expect(comparison.sameCount == 1)
    #expect(
      comparison.lines == [
        "new: c: hosted (one)", "told otherwise: b: refused: No.; was refused (Never.)",
      ])
  }

  @Test func `expects no result of packages that were not tested or have another version`() {
    let table = [row("a", .hosted), row("b", .hosted, package: "two")]
    let comparison = compare([row("a", .crashes, "It crashed.")], table, excusing: ["one"])
    #expect(comparison.lost.isEmpty)
    #expect(
      comparison.lines == [
        "not compared, as the package has another version: a: crashes: It crashed.; was hosted"
      ])
  }

  @Test func `stores the worst of several rounds in its table`() {
    let rows = Row.worst(
      [row("a", .hosted), row("b", .crashes, "First.")],
      [row("a", .faulty, "It wavers."), row("b", .crashes, "Second."), row("c", .hosted)])
    #expect(
      rows.sorted { $0.identifier < $1.identifier } == [
        row("a", .faulty, "It wavers."), row("b", .crashes, "First."), row("c", .hosted),
      ])
  }

  @Test func `writes a table that it can read, sorted by package and plugin`() throws {
    let rows = [
      row("b", .refused, "No library."), row("c", .hosted, package: "first"), row("a", .hosted),
    ]
    let table = Row.table(rows)
    #expect(
      table == """
        # plugin\tpackage\toutcome\treason
        c\tfirst\thosted\t
        a\tone\thosted\t
        b\tone\trefused\tNo library.

        """)
    #expect(try Row.rows(of: table) == [rows[1], rows[2], rows[0]])
    #expect(throws: CorpusFault.self) { try Row.rows(of: "a\tone\tsplendid\t\n") }
  }

  @Test(arguments: [
    (
      "It crashed (signal 11, segmentation fault) at 96000 Hz (in a.so+0x33 (F::g(int, bool))).",
      "It crashed (signal 11, segmentation fault) at 96000 Hz."
    ),
    ("It outputs NaN at output \"o\", and 5 times more.", "It outputs NaN at output \"o\"."),
    ("Its library /usr/lib/lv2/a.lv2/b.so was refused.", "Its library b.so was refused."),
    ("It holds no <http://a.org/b/c>.", "It holds no <http://a.org/b/c>."),
    ("It said \"/tmp/x/y: no\tsuch file\".", "It said \"y: no such file\"."),
  ])
  func `keeps the part of a message that is the same on every machine`(
    message: String, lasting: String
  ) {
    #expect(Sentence.lasting(message) == lasting)
  }

  @Test func `keeps the part of a note that does not depend on the settings`() {
    let note = "It is loud at 44100 Hz with blocks of 64 frames, and 3 times more."
    #expect(Sentence.lasting(Sentence.withoutSituation(note)) == "It is loud.")
  }

  @Test func `accepts another build of the same package version`() {
    #expect(InstalledPackages.withoutBuild("1.0-3+b1") == "1.0-3")
    #expect(InstalledPackages.withoutBuild("1.2.10-1+deb12u1") == "1.2.10-1+deb12u1")
  }
}

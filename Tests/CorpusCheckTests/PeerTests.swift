// PeerTests.swift: comparison of renderings with those of other hosts. SPDX-License-Identifier: MIT

import Testing

@testable import corpus_check

@Suite struct `Renderings of Outboard and its peers` {
  private func compare(
    _ ours: [[Float]], _ theirs: [[Float]], latency: Int = 0
  ) -> Similarity {
    Difference(ours, theirs, latency: latency).sharedConfiguration
  }

  @Test func `are equal if every number is, zeroes of either sign and NaN included`() {
    #expect(compare([[0.5, -0.0, .nan]], [[0.5, 0, .nan]]) == .equal)
    #expect(compare([[0.5, 0]], [[0.5, .nan]]) == .different)
  }

  @Test func `are close up to a millionth of the peak, and different beyond`() {
    #expect(compare([[1, 0.5]], [[1, 0.5000005]]) == .close)
    #expect(compare([[1, 0.5]], [[1, 0.500002]]) == .different)
    // The same relative distance, in a signal at a thousandth of the level.
    #expect(compare([[0.001, 0.0005]], [[0.001, 0.0005005]]) == .different)
  }

  @Test func `are close if one is silent and the other contains only denormals`() {
    #expect(compare([[0, 0]], [[.leastNonzeroMagnitude, 0]]) == .close)
    #expect(compare([[0, 0]], [[1e-30, 0]]) == .different)
  }

  @Test func `are compared after the latency of either is removed`() {
    #expect(compare([[1, 2, 3, 9, 9]], [[0, 0, 1, 2, 3]], latency: 2) == .equal)
    #expect(compare([[1, 2, 3, 9, 9]], [[0, 0, 1, 2, 3]]) == .different)
  }

  @Test func `differ without samples, or with another number of channels`() {
    #expect(compare([[1]], [[1]], latency: 1) == .different)
    #expect(compare([[1]], [[1], [1]]) == .different)
  }

  @Test func `are reported with the first position and the largest difference`() {
    let difference = Difference([[1, 0, 0], [0, 0.1, 0]], [[1, 0, 1], [0, 0, 0]], latency: 0)
    #expect(difference.words == "0 dB of the peak, first at frame 1 of channel 2")
  }

  @Test func `are a failure if they are less similar than in the table`() throws {
    func row(_ sharedConfiguration: Similarity, peer: String = "lv2apply") -> PeerRow {
      PeerRow(
        identifier: "a", package: "one", sharedConfiguration: sharedConfiguration, peer: peer,
        finding: "")
    }
    #expect(PeerCorpus.lost([row(.close)], ["a": row(.equal)]) == [row(.close)])
    #expect(PeerCorpus.lost([row(.equal)], ["a": row(.close)]).isEmpty)
    #expect(PeerCorpus.lost([row(.failed)], [:]).isEmpty)
  }

  @Test func `keep their reason in the table while the result is the same`() throws {
    var known = PeerRow(
      identifier: "a", package: "one", sharedConfiguration: .wavers, peer: "ffmpeg",
      finding: "It wavers.",
      reason: "It reads what it never wrote.")
    let table = PeerRow.table([known])
    #expect(
      table == """
        # plugin\tpackage\toutcome\tpeer\tfinding\treason
        a\tone\twavers\tffmpeg\tIt wavers.\tIt reads what it never wrote.

        """)
    #expect(try PeerRow.rows(of: table) == [known])
    var found = known
    found.finding = "Otherwise."
    found.reason = ""
    #expect(found.explained(by: known).reason == known.reason)
    known.sharedConfiguration = .different
    #expect(found.explained(by: known).reason.isEmpty)
  }
}

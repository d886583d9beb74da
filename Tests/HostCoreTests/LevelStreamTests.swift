// LevelStreamTests.swift: how many levels are sent to a client that acknowledges some of them. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import HostCore
@testable import Session

@Suite struct `Levels for displays` {
  private let streams = LevelStreams()
  private let reading = LevelReading(inputPeaks: [0.5], outputPeaks: [0.5], nodes: [])
  private let quick = ClientID(1)
  private let slow = ClientID(2)

  /// Makes events due, and returns the number of each event that `client` receives.
  private func sequences(of client: ClientID, count: Int, from start: UInt64) -> [Int] {
    (0 ..< count).flatMap { number in
      streams.add(reading, load: 0, xruns: 0, at: start + UInt64(number) * 1_000_000_000)
        .filter { $0.clients.contains(client) }.map(\.levels.sequence)
    }
  }

  @Test func `are sent until four are not acknowledged`() throws {
    streams.set(20, for: slow)
    let start = UInt64(1) << 62
    let sent = sequences(of: slow, count: 10, from: start)
    #expect(sent.count == LevelStreams.window)
    // The third confirms those before it, too.
    streams.acknowledge(sent[2], by: slow)
    #expect(sequences(of: slow, count: 10, from: start + 1 << 40).count == 3)
    // A number of another time confirms nothing.
    streams.acknowledge(sent[0], by: slow)
    #expect(sequences(of: slow, count: 10, from: start + 1 << 41).isEmpty)
  }

  @Test func `reach a client that acknowledges each fourth without a gap`() throws {
    streams.set(20, for: slow)
    streams.set(20, for: quick)
    var received = 0
    for number in 0 ..< 100 {
      let time = UInt64(1) << 62 + UInt64(number) * 1_000_000_000
      for sequence in sequences(of: quick, count: 1, from: time) {
        received += 1
        if received.isMultiple(of: 4) { streams.acknowledge(sequence, by: quick) }
      }
    }
    #expect(received == 100)
  }

  @Test func `start again with a new subscription`() {
    streams.set(20, for: slow)
    let start = UInt64(1) << 62
    #expect(sequences(of: slow, count: 10, from: start).count == LevelStreams.window)
    streams.set(20, for: slow)
    #expect(sequences(of: slow, count: 10, from: start + 1 << 40).count == LevelStreams.window)
  }
}

// TransportTests.swift: tests of Transport.swift. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@Suite struct `Musical time` {
  private func advance(_ transport: Transport, _ frames: Int, blocks: [Int] = [480]) {
    var rest = frames
    var turn = 0
    while rest > 0 {
      let count = min(rest, blocks[turn % blocks.count])
      advanceTransport(transport.pointer, count)
      rest -= count
      turn += 1
    }
  }

  /// Returns the position of the next block.
  private func position(_ transport: Transport) -> TransportPosition {
    advanceTransport(transport.pointer, 0)
    return transport.pointer.pointee.position
  }

  @Test func `no position is reported before the first block`() {
    #expect(Transport(sampleRateHz: 48_000).pointer.pointee.position.changeCount == 0)
  }

  @Test(arguments: [[1], [480], [7, 4_096, 1]])
  func `beats do not depend on the length of the blocks`(blocks: [Int]) {
    var settings = TransportSettings()
    settings.beatsPerMinute = 123.4
    settings.beatsPerBar = 3
    let transport = Transport(settings, sampleRateHz: 44_100)
    advance(transport, 100_003, blocks: blocks)
    let position = position(transport)
    #expect(position.frame == 100_003)
    #expect(position.beat == 100_003 * 123.4 / (60 * 44_100))
    #expect(position.bar == 1)
    #expect(abs(position.barBeat - (position.beat - 3)) < 1e-12)
    #expect(position.changeCount == 1)
  }

  @Test func `after a tempo change beats continue from the current beat`() {
    let transport = Transport(sampleRateHz: 48_000)
    advance(transport, 48_000)
    transport.setTempo(60)
    advance(transport, 48_000)
    #expect(position(transport).beat == 3)
    #expect(position(transport).changeCount == 2)
  }

  @Test func `the position does not advance while the transport is stopped`() {
    var settings = TransportSettings()
    settings.isRolling = false
    let transport = Transport(settings, sampleRateHz: 48_000)
    advance(transport, 48_000)
    #expect(position(transport).frame == 0)
    #expect(position(transport).speed == 0)
    transport.setRolling(true)
    advance(transport, 480)
    #expect(position(transport).frame == 480)
  }

  @Test func `a change of sample rate preserves the beat`() {
    let slow = Transport(sampleRateHz: 44_100)
    slow.setTempo(100)
    advance(slow, 44_100, blocks: [441])
    let fast = Transport(sampleRateHz: 96_000)
    fast.proceed(from: slow)
    let last = slow.pointer.pointee.position.beat
    #expect(abs(position(fast).beat - last) < 1e-4)
    #expect(position(fast).beatsPerMinute == 100)
  }
}

// FrameRingTests.swift: the order of frames, and the positions of gaps. SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import RealtimeKit

@Suite struct FrameRingTests {
  /// The numbers of the frames that were read, with -1 for each missing one.
  private static func read(_ shared: SharedRing, atMost limit: Int = .max) -> [Int] {
    var frames: [Int] = []
    while let piece = shared.ring.next(atMost: limit) {
      switch piece {
      case .frames(let start, let count):
        for frame in start ..< start + count {
          let values = (0 ..< shared.ring.channelCount).map { shared.ring.buffers[$0][frame] }
          // Every channel has the same sequence, offset by a hundred thousand per channel.
          let numbers = values.enumerated().map { Int($1) - $0 * 100_000 }
          frames.append(Set(numbers).count == 1 ? numbers[0] : -2)
        }
      case .gap(let count):
        frames += Array(repeating: -1, count: count)
      }
      shared.ring.drop(piece)
    }
    return frames
  }

  private static func write(_ shared: SharedRing, _ frames: Range<Int>) -> Bool {
    let rows = (0 ..< shared.ring.channelCount).map { channel in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: frames.count)
      for (place, frame) in frames.enumerated() { row[place] = Float(channel * 100_000 + frame) }
      return row
    }
    defer { rows.forEach { $0.deallocate() } }
    return shared.ring.write(rows, frameCount: frames.count)
  }

  @Test(arguments: [1, 2, 5])
  func `frames are read as they were written, across the end many times`(channels: Int) {
    let ring = SharedRing(channelCount: channels, frameCount: 100)
    var captured: [Int] = []
    var written = 0
    for block in 1 ... 60 {
      #expect(Self.write(ring, written ..< written + block))
      written += block
      captured += Self.read(ring, atMost: 7)
    }
    #expect(captured == Array(0 ..< written))
    #expect(ring.lostFrameCount == 0)
  }

  @Test func `a block that does not fit is dropped completely, and a gap replaces it`() {
    let ring = SharedRing(channelCount: 2, frameCount: 100)
    #expect(Self.write(ring, 0 ..< 60))
    #expect(!Self.write(ring, 60 ..< 110))
    #expect(Self.write(ring, 110 ..< 120))
    #expect(ring.lostFrameCount == 50)
    let missing = Array(repeating: -1, count: 50)
    #expect(Self.read(ring) == Array(0 ..< 60) + missing + Array(110 ..< 120))
    #expect(Self.write(ring, 120 ..< 220))
    #expect(Self.read(ring) == Array(120 ..< 220))
  }

  @Test func `after a gap the ring accepts nothing until a quarter is free`() {
    let ring = SharedRing(channelCount: 1, frameCount: 100)
    #expect(Self.write(ring, 0 ..< 90))
    #expect(!Self.write(ring, 90 ..< 110))
    #expect(!Self.write(ring, 110 ..< 115))
    #expect(ring.lastGapFrameCount == 25)
    guard let piece = ring.ring.next(atMost: 15) else {
      Issue.record("nothing to read")
      return
    }
    ring.ring.drop(piece)
    #expect(Self.write(ring, 115 ..< 120))
    #expect(ring.lastGapFrameCount == 0)
    let missing = Array(repeating: -1, count: 25)
    #expect(Self.read(ring) == Array(15 ..< 90) + missing + Array(115 ..< 120))
  }

  @Test func `gaps in a full ring merge, and none is lost`() {
    let ring = SharedRing(channelCount: 1, frameCount: 4)
    var expected: [Int] = []
    var captured: [Int] = []
    for round in 0 ..< 200 {
      let start = round * 10
      expected +=
        Self.write(ring, start ..< start + 3) ? [start, start + 1, start + 2] : [-1, -1, -1]
      expected += Self.write(ring, start ..< start + 5) ? [-9] : [-1, -1, -1, -1, -1]
      // Frames are dropped without a read of the gap between them.
      if round % 3 == 0 { captured += Self.read(ring) }
    }
    captured += Self.read(ring) + Array(repeating: -1, count: ring.lastGapFrameCount)
    #expect(captured == expected)
    #expect(captured.count { $0 == -1 } == ring.lostFrameCount)
  }

  @Test func `between two threads only counted frames are lost`() async {
    let total = 200_000
    let ring = SharedRing(channelCount: 2, frameCount: 512)
    let writer = Task.detached {
      var written = 0
      while written < total {
        _ = Self.write(ring, written ..< written + 64)
        written += 64
      }
      return written
    }
    var captured: [Int] = []
    let reader = Task.detached {
      var captured: [Int] = []
      while captured.count < total {
        let news = Self.read(ring, atMost: 100)
        captured += news
        if news.isEmpty {
          if ring.isDone.load(ordering: .acquiring) { break }
          await Task.yield()
        }
      }
      return captured
    }
    let written = await writer.value
    ring.isDone.store(true, ordering: .releasing)
    captured = await reader.value
    captured += Self.read(ring) + Array(repeating: -1, count: ring.lastGapFrameCount)
    #expect(captured.count == written)
    #expect(captured.enumerated().allSatisfy { $1 == -1 || $1 == $0 })
    #expect(captured.count { $0 == -1 } == ring.lostFrameCount)
  }
}

/// A ring for two threads.
private final class SharedRing: @unchecked Sendable {
  // Unchecked, because the ring is for two threads.
  let ring: FrameRing
  let isDone = Atomic(false)

  init(channelCount: Int, frameCount: Int) {
    ring = FrameRing(channelCount: channelCount, frameCount: frameCount)
  }

  var lostFrameCount: Int { ring.lostFrameCount }
  var lastGapFrameCount: Int { ring.lastGapFrameCount }
}

// PipeOutputTests.swift: the output of a card's run to a pipe that stops. SPDX-License-Identifier: MIT

import RealtimeKit
import Synchronization
import Testing

@testable import PipeIO

@Suite struct DrainTests {
  /// Frames for a pipe, at a fixed address.
  private final class Drain {
    let state: UnsafeMutablePointer<PipeOutputState> = .allocate(capacity: 1)
    private let rows = PlanarBuffer(channelCount: 1, frameCapacity: 256)

    init() {
      state.initialize(to: PipeOutputState(channelCount: 1, sampleRateHz: 48_000, blockFrames: 256))
      for frame in 0 ..< 256 { rows[0][frame] = 1 }
    }

    deinit {
      state.deinitialize(count: 1)
      state.deallocate()
    }

    var gaps: Int { state.pointee.gapCount.load(ordering: .relaxed) }
    var lostFrames: Int { state.pointee.lostFrames.load(ordering: .relaxed) }
    var isReportedFull: Bool { state.pointee.fullSince.load(ordering: .relaxed) != 0 }

    /// Renders blocks of full scale.
    func render(blocks: Int) {
      for _ in 0 ..< blocks { writeOutputBlock(state, rows.channels, 256, at: 1) }
    }

    /// Returns everything that a reader receives.
    func take() -> [Float] {
      var taken: [Float] = []
      let ring = state.pointee.ring
      while let piece = ring.pointee.next(atMost: 256) {
        if case .frames(let start, let count) = piece {
          taken += (0 ..< count).map { ring.pointee.buffers[0][start + $0] }
        }
        ring.pointee.drop(piece)
      }
      return taken
    }
  }

  @Test func `frames that do not fit are omitted between fades, counted, and reported as one gap`()
  {
    let drain = Drain()
    // The buffer has room for two seconds.
    drain.render(blocks: 375 + 100)
    #expect(drain.gaps == 1)
    #expect(drain.isReportedFull)
    let before = drain.take()
    #expect(before.count + drain.lostFrames == 475 * 256)
    #expect(before.dropLast(128).allSatisfy { $0 == 1 })
    #expect((before.last ?? 1) < 0.01)
    drain.render(blocks: 10)
    let after = drain.take()
    #expect(after.count == 2_560)
    #expect(after.first == 0)
    #expect(after.dropFirst(128).allSatisfy { $0 == 1 })
    #expect(drain.gaps == 1)
    #expect(!drain.isReportedFull)
  }
}

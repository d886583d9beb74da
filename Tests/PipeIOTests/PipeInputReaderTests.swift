// PipeInputReaderTests.swift: standard input on a card's clock, in virtual time. SPDX-License-Identifier: MIT

import AudioDriver
import Testing

@testable import PipeIO

@Suite struct FeedTests {
  // The settings of arecord, of sox, and a small period.
  @Test(arguments: [200.0, -200.0], [(6_000, 0.002), (480, 0.001)])
  func `drift correction of a source with another clock causes no gap and no overflow`(
    partsPerMillion: Double, burst: (frames: Int, jitter: Double)
  ) throws {
    let pipe = try VirtualPipe()
    pipe.partsPerMillion = partsPerMillion
    pipe.burstFrames = burst.frames
    pipe.jitterSeconds = burst.jitter
    pipe.run(seconds: 20)
    #expect(pipe.feed.pointee.mode == .followed)
    pipe.forget()
    // Long enough for many underruns or overruns without drift correction.
    pipe.run(seconds: 60)
    #expect(pipe.faults == 0)
    #expect(abs(pipe.drift - partsPerMillion) < 20)
    // A tone without a step: drift correction itself changes it by a thousandth of this.
    #expect(pipe.roughness < 2e-4, "\(pipe.roughness)")
  }

  @Test func `a source that can wait is played from its first frame, bit for bit`() throws {
    let pipe = try VirtualPipe()
    pipe.nonLive = true
    pipe.run(seconds: 10)
    #expect(pipe.feed.pointee.mode == .direct)
    let wrong = pipe.received.indices.first { pipe.received[$0] != pipe.sample($0) }
    #expect(wrong == nil)
    #expect(pipe.faults == 0)
  }

  @Test(arguments: [44_100, 96_000])
  func `a source at another rate that can wait is only resampled`(rateHz: Int) throws {
    let pipe = try VirtualPipe(rateHz: rateHz)
    pipe.nonLive = true
    pipe.run(seconds: 1)
    #expect(pipe.feed.pointee.mode == .resampled)
    pipe.forget()
    pipe.run(seconds: 10)
    #expect(pipe.faults == 0)
    #expect(pipe.roughness < 1e-5, "\(pipe.roughness)")
  }

  @Test func `a pause is silence, reported once, and ends automatically`() throws {
    let pipe = try VirtualPipe()
    pipe.partsPerMillion = 100
    pipe.run(seconds: 20)
    pipe.isWriting = false
    pipe.run(seconds: 1)
    #expect(pipe.isReportedStill)
    pipe.forget()
    pipe.run(seconds: 4)
    #expect(pipe.received.allSatisfy { $0 == 0 })
    pipe.isWriting = true
    pipe.run(seconds: 3)
    #expect(!pipe.isReportedStill)
    #expect(pipe.faults == 1)
    pipe.forget()
    pipe.run(seconds: 30)
    #expect(pipe.faults == 1)
    #expect(pipe.roughness < 2e-4, "\(pipe.roughness)")
  }

  @Test func `a source that is too slow plays in pieces, each complete`() throws {
    let pipe = try VirtualPipe()
    pipe.partsPerMillion = -200_000
    pipe.run(seconds: 30)
    #expect(pipe.faults > 2)
    let sounding = pipe.received.suffix(48_000 * 10).count { $0 != 0 }
    #expect(sounding > 48_000 * 5, "\(sounding)")
  }

  @Test func `a source that is slightly too fast for a clock must wait eventually`() throws {
    let pipe = try VirtualPipe()
    pipe.partsPerMillion = 200_000
    pipe.run(seconds: 15)
    #expect(pipe.feed.pointee.mode == .direct)
    let before = pipe.faults
    pipe.forget()
    pipe.nonLive = true
    pipe.run(seconds: 20)
    #expect(pipe.faults == before)
  }

  @Test func `data in the pipe from before do not delay later data`() throws {
    let pipe = try VirtualPipe()
    pipe.burstFrames = 480
    pipe.isWriting = false
    pipe.run(seconds: 0.01)
    pipe.isWriting = true
    pipe.reader.put(try silence(16_000), 16_000)
    pipe.reader.recordArrival(16_000, at: UInt64(1_000.01 * 1e9))
    pipe.run(seconds: 10)
    #expect(pipe.feed.pointee.mode == .followed)
    #expect(pipe.heldFrames < 3_000, "\(pipe.heldFrames)")
    #expect(pipe.faults == 0)
  }

  @Test(arguments: [48_000, 44_100])
  func `everything is played before the end is reported`(rateHz: Int) throws {
    let pipe = try VirtualPipe(rateHz: rateHz)
    pipe.nonLive = true
    pipe.run(seconds: 2)
    pipe.nonLive = false
    pipe.isWriting = false
    let held = pipe.heldFrames
    pipe.reader.finishInput(with: nil)
    pipe.forget()
    pipe.run(seconds: held / Double(rateHz) + 0.5)
    #expect(pipe.isOver)
    #expect(pipe.faults == 0)
    let captured = (pipe.received.lastIndex { abs($0) > 1e-3 } ?? 0) + 1
    #expect(abs(Double(captured) - held * 48_000 / Double(rateHz)) < 200, "\(captured) of \(held)")
  }

  @Test func `a stream that ends before its source is classified is played`() throws {
    let pipe = try VirtualPipe()
    pipe.burstFrames = 1_000
    pipe.run(seconds: 0.01)
    pipe.isWriting = false
    pipe.reader.finishInput(with: nil)
    pipe.run(seconds: 1)
    #expect(pipe.received.count { $0 != 0 } > 900)
    #expect(pipe.isOver)
  }

  @Test func `audio is not delayed by later data`() throws {
    let pipe = try VirtualPipe()
    pipe.burstFrames = 9_600
    pipe.run(seconds: 0.01)
    pipe.isWriting = false
    pipe.run(seconds: 1)
    #expect(pipe.received.count { $0 != 0 } > 9_000)
    #expect(!pipe.isOver)
    // Drift correction starts when the source is found to have a clock.
    pipe.burstFrames = 960
    pipe.partsPerMillion = 200
    pipe.isWriting = true
    pipe.run(seconds: 20)
    #expect(pipe.feed.pointee.mode == .followed)
    let before = pipe.faults
    pipe.forget()
    pipe.run(seconds: 10)
    #expect(pipe.faults == before)
    #expect(pipe.roughness < 2e-4, "\(pipe.roughness)")
  }

  @Test func `a stated clock is used`() throws {
    let shared = try VirtualPipe(clock: .shared)
    shared.run(seconds: 2)
    #expect(shared.feed.pointee.mode == .direct)
    let own = try VirtualPipe(clock: .independent)
    own.nonLive = true
    own.run(seconds: 2)
    #expect(own.feed.pointee.mode == .followed)
  }

  /// An array of zeros, which lives as long as the test process.
  private func silence(_ count: Int) throws -> UnsafePointer<UnsafeMutablePointer<Float>> {
    let row = UnsafeMutablePointer<Float>.allocate(capacity: count)
    row.initialize(repeating: 0, count: count)
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    rows.initialize(to: row)
    return UnsafePointer(rows)
  }

  // Also before the first frame is played, and while the buffer fills again.
  @Test(arguments: [100, 6_000], [0.02, 0.3])
  func `each pause of a source is reported`(burst: Int, jitter: Double) throws {
    var untold: [Double] = []
    for stop in stride(from: 0.02, to: 3, by: 0.1) {
      let pipe = try VirtualPipe()
      pipe.burstFrames = burst
      pipe.jitterSeconds = jitter
      pipe.run(seconds: stop)
      pipe.isWriting = false
      pipe.run(seconds: 2)
      if !pipe.isReportedStill { untold.append(stop) }
    }
    #expect(untold == [])
  }

  @Test func `a pause after an overflow is reported`() throws {
    let pipe = try VirtualPipe()
    pipe.run(seconds: 5)
    pipe.burstFrames = 30_000
    pipe.run(seconds: 0.03)
    pipe.isWriting = false
    pipe.run(seconds: 3)
    #expect(pipe.faults > 0)
    #expect(pipe.isReportedStill)
    pipe.isWriting = true
    pipe.burstFrames = 960
    pipe.run(seconds: 3)
    #expect(!pipe.isReportedStill)
  }

  @Test func `a source with long steps is not reported as paused while it fills the buffer`() throws
  {
    let pipe = try VirtualPipe()
    pipe.burstFrames = 24_000
    for _ in 0 ..< 200 {
      pipe.run(seconds: 0.02)
      #expect(!pipe.isReportedStill)
    }
  }
}

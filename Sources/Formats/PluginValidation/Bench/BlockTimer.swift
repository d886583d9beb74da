// BlockTimer.swift: how long a node takes for a block. SPDX-License-Identifier: MIT

internal import CRealtime
internal import Glibc
internal import PluginModel

/// The cost of blocks of one length, in nanoseconds of the thread's own processor time, so that other
/// programs on the machine are not counted.
package struct BlockTiming: Sendable, Equatable {
  /// The length of the blocks, in frames.
  package var frameCount: Int
  /// The median over runs of the median block, in ns.
  package var medianNanoseconds: Double
  /// The median over runs of the block that only one in a hundred exceeds, in ns.
  package var slowNanoseconds: Double
  /// How many blocks were measured in all.
  package var blockCount: Int

  /// Time for one frame, in ns. [any]
  package var nanosecondsPerFrame: Double { medianNanoseconds / Double(frameCount) }

  /// The part of real time at 48 kHz that a time for one block takes; 1 is all there is. [any]
  package func load(_ nanoseconds: Double) -> Double {
    nanoseconds * PluginUnderTest.sampleRateHz / (Double(frameCount) * 1e9)
  }

  /// The load of a median block. [any]
  package var load: Double { load(medianNanoseconds) }
  /// The load of a slow block. [any]
  package var slowLoad: Double { load(slowNanoseconds) }
}

/// Times a node block by block.
enum BlockTimer {
  /// How many runs there are; the median of them counts.
  private static let runCount = 5
  /// How much sound a run renders at least, in frames.
  private static let leastFrames = 12_000
  /// How many blocks a run has at least: one in a hundred must be several.
  private static let leastBlocks = 400
  /// A run ends early after so long, in ns of any clock: a plugin slower than real time would never end.
  private static let longestRunNanoseconds: UInt64 = 400_000_000
  /// Blocks shorter than this are timed several at a time, as the clock itself costs a fraction of a
  /// microsecond.
  private static let batchNanoseconds = 20_000.0

  /// Times blocks of a length; noise goes in, and notes if they are taken.
  static func measure(_ bench: TestBench, frameCount: Int) -> BlockTiming {
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    // Once through everything that is done lazily; the inputs then hold noise for good.
    bench.run(frames: 8 * bench.configuration.maximumFrameCount, blocks: frameCount)
    bench.hold(frameCount)
    let overhead = clockOverhead
    var medians: [Double] = []
    var slows: [Double] = []
    var count = 0
    for _ in 0 ..< runCount {
      let single = blocks(bench, frameCount, batch: 1, overhead)
      let batch = max(1, min(64, Int(batchNanoseconds / max(1, single[single.count / 2]))))
      let batched = batch == 1 ? single : blocks(bench, frameCount, batch: batch, overhead)
      medians.append(batched[batched.count / 2])
      slows.append(single[min(single.count - 1, single.count * 99 / 100)])
      count += single.count
    }
    return BlockTiming(
      frameCount: frameCount, medianNanoseconds: medians.sorted()[runCount / 2],
      slowNanoseconds: slows.sorted()[runCount / 2], blockCount: count)
  }

  /// The times of one run, sorted, each the mean of `batch` blocks.
  private static func blocks(
    _ bench: TestBench, _ frameCount: Int, batch: Int, _ overhead: Double
  ) -> [Double] {
    bench.specimen.giveSign()
    let wanted = max(leastBlocks, leastFrames / frameCount)
    var times: [Double] = []
    times.reserveCapacity(wanted)
    let end = crealtime_nanoseconds() + longestRunNanoseconds
    while times.isEmpty || (times.count < max(20, wanted / batch) && crealtime_nanoseconds() < end)
    {
      let begun = now
      for _ in 0 ..< batch { bench.renderOnly(frameCount) }
      times.append(max(0, now - begun - overhead) / Double(batch))
    }
    return times.sorted()
  }

  /// What the calling thread has used, in ns.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// What two looks at the clock take.
  private static var clockOverhead: Double {
    (0 ..< 201).map { _ in
      let begun = now
      return now - begun
    }.sorted()[100]
  }
}

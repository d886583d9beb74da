// BlockTimer.swift: measures the CPU time of blocks. SPDX-License-Identifier: MIT

internal import CRealtime
internal import Glibc
internal import PluginModel

/// The CPU time of blocks of one length, in nanoseconds of the thread.
///
/// Other programs do not count.
package struct BlockTiming: Sendable, Equatable {
  /// The block length in frames.
  package var frameCount: Int
  /// The median over runs of the median block time, in ns.
  package var medianNanoseconds: Double
  /// The median over runs of the 99th percentile of block times, in ns.
  package var slowNanoseconds: Double
  /// The number of measured blocks.
  package var blockCount: Int

  /// The time per frame, in ns. [any]
  package var nanosecondsPerFrame: Double { medianNanoseconds / Double(frameCount) }

  /// Returns a block time as a fraction of real time at 48 kHz; 1 is the limit. [any]
  package func load(_ nanoseconds: Double) -> Double {
    nanoseconds * PluginUnderTest.sampleRateHz / (Double(frameCount) * 1e9)
  }

  /// The load of the median block. [any]
  package var load: Double { load(medianNanoseconds) }
  /// The load of the 99th percentile. [any]
  package var slowLoad: Double { load(slowNanoseconds) }
}

/// Measures the CPU time of a node per block.
enum BlockTimer {
  /// The number of runs; the median is the result.
  private static let runCount = 5
  /// The minimum length of a run, in frames.
  private static let minimumFrameCount = 12_000
  /// The minimum number of blocks in a run, for a valid 99th percentile.
  private static let minimumBlockCount = 400
  /// The timeout of a run, in ns: a plugin slower than real time would never finish.
  private static let longestRunNanoseconds: UInt64 = 400_000_000
  /// Shorter blocks are measured in batches, because the clock itself takes a fraction of a
  /// microsecond.
  private static let batchNanoseconds = 20_000.0

  /// Measures blocks of one length, with noise and, if accepted, notes as input.
  static func measure(_ bench: TestBench, frameCount: Int) -> BlockTiming {
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    // A first run for lazy initialisation. The inputs then contain noise.
    bench.run(frames: 8 * bench.configuration.maximumFrameCount, blocks: frameCount)
    bench.fillInputs(frameCount)
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

  /// Returns the sorted times of one run, each the mean of `batch` blocks.
  private static func blocks(
    _ bench: TestBench, _ frameCount: Int, batch: Int, _ overhead: Double
  ) -> [Double] {
    bench.testedPlugin.sendHeartbeat()
    let wanted = max(minimumBlockCount, minimumFrameCount / frameCount)
    var times: [Double] = []
    times.reserveCapacity(wanted)
    let end = crealtime_nanoseconds() + longestRunNanoseconds
    while times.isEmpty || (times.count < max(20, wanted / batch) && crealtime_nanoseconds() < end)
    {
      let begun = now
      for _ in 0 ..< batch { bench.callProcess(frameCount) }
      times.append(max(0, now - begun - overhead) / Double(batch))
    }
    return times.sorted()
  }

  /// Returns the CPU time of the calling thread, in ns.
  static var now: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Returns the time between two clock reads.
  private static var clockOverhead: Double {
    (0 ..< 201).map { _ in
      let begun = now
      return now - begun
    }.sorted()[100]
  }
}

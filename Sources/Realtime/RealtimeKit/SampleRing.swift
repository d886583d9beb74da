// SampleRing.swift: samples from one thread to another without a lock. SPDX-License-Identifier: MIT

import Synchronization

/// A ring of samples with one writer and one reader; samples that do not fit are dropped and
/// counted.
package struct SampleRing: ~Copyable {
  private let capacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let written = Atomic<Int>(0)
  private let consumed = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// Creates a ring of at least `minimumCapacity` samples. [main]
  package init(minimumCapacity: Int) {
    var size = 64
    while size < minimumCapacity { size *= 2 }
    capacity = size
    samples = .allocate(capacity: size)
    samples.initialize(repeating: 0, count: size)
  }

  deinit {
    samples.deallocate()
  }

  /// The number of dropped samples so far. [any]
  package var droppedCount: Int { dropped.load(ordering: .relaxed) }

  /// Adds one sample, or counts it as dropped. [writer]
  @_noLocks
  package func write(_ sample: Float) {
    let position = written.load(ordering: .relaxed)
    // Pairs with the releasing store in `read`: only samples that were read are overwritten.
    guard position &- consumed.load(ordering: .acquiring) < capacity else {
      dropped.add(1, ordering: .relaxed)
      return
    }
    samples[position & (capacity &- 1)] = sample
    // Pairs with the acquiring load in `read`.
    written.store(position &+ 1, ordering: .releasing)
  }

  /// Returns the available samples, oldest first, at most `limit`. [reader]
  package func read(atMost limit: Int) -> [Float] {
    let position = consumed.load(ordering: .relaxed)
    let count = min(limit, written.load(ordering: .acquiring) - position)
    let taken = (0 ..< count).map { samples[(position + $0) & (capacity - 1)] }
    consumed.store(position + count, ordering: .releasing)
    return taken
  }
}

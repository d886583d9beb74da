// LeakProbe.swift: what a plugin keeps of what it has taken. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
package import PluginModel

/// What stays behind each time that something is done, such as making an instance and destroying it.
package struct Leak: Sendable, Equatable {
  /// Bytes of the heap.
  package var heapBytes: UInt64
  /// Bytes of address space beside the heap.
  package var mappedBytes: UInt64
  /// Threads that go on.
  package var threads: UInt64
  /// Files that stay open.
  package var descriptors: UInt64

  /// All memory, in bytes.
  package var bytes: UInt64 { heapBytes + mappedBytes }

  /// Nothing that is worth a word.
  fileprivate var isNone: Bool { bytes == 0 && threads == 0 && descriptors == 0 }
}

extension MemoryProbe {
  private static let warmingCount = 3
  private static let measuredCount = 6
  /// Enough where a cycle takes long.
  private static let leastMeasuredCount = 2
  /// A cycle that takes longer than this part of what a run may take is done as seldom as possible, or not at
  /// all.
  private static let (longPart, longestPart) = (0.005, 0.075)
  /// Less may be a list that grows by itself now and then.
  private static let leastHeapBytes: UInt64 = 16
  private static let leastMappedBytes: UInt64 = 1 << 16
  /// Enough has leaked then.
  private static let mostBytes: UInt64 = 256 << 20
  private static let blocks = 2

  /// What each instance leaves behind that is made, used and destroyed; nil if nothing. [main]
  package func leakOfInstances() -> Leak? {
    leak {
      let make = try load()
      return {
        let node = try make()
        try node.activate()
        let rows = Rows(node, frameCount)
        for block in 0 ..< Self.blocks {
          rows.fill(block, outputs: 0)
          rows.render(node, frameCount)
        }
        node.deactivate()
        rows.free()
      }
    }
  }

  /// What is left behind each time that something is done with one instance; nil if nothing. [main]
  ///
  /// `work` is given the active instance, and returns what is done again and again, or nil if there is
  /// nothing to do.
  package func leak(of work: @escaping (any Node) -> (() -> Void)?) -> Leak? {
    leak {
      let node = try load()()
      try node.activate()
      return work(node)
    }
  }

  /// What each save, and the restoring of what was saved, leaves behind; nil if nothing. [main]
  package func leakOfSaves() -> Leak? {
    leak { node in
      guard let node = node as? any StatefulNode, let saved = node.save() else { return nil }
      return {
        _ = node.save()
        try? node.restore(saved)
      }
    }
  }

  /// What is done is done a few times until all is there that is made once, and then measured.
  private func leak(_ begin: @escaping () throws -> (() throws -> Void)?) -> Leak? {
    let end = ForkedRun.end(limitSeconds: limitSeconds, giveSign) {
      cprocess_fill_heap(0)
      guard let cycle = try begin() else { return [] }
      var samples: [cprocess_holdings] = []
      samples.reserveCapacity(Self.measuredCount + 1)
      let began = Self.usedSeconds
      try cycle()
      let part = (Self.usedSeconds - began) / limitSeconds
      guard part < Self.longestPart else { return [] }
      let isLong = part > Self.longPart
      for _ in 1 ..< (isLong ? 2 : Self.warmingCount) { try cycle() }
      samples.append(cprocess_measure_holdings())
      for count in 1 ... Self.measuredCount {
        try cycle()
        samples.append(cprocess_measure_holdings())
        let isMuch = samples[count].mapped_bytes > samples[0].mapped_bytes + Self.mostBytes
        if count >= Self.leastMeasuredCount, isLong || isMuch { break }
      }
      return Self.numbers(Self.steadyGrowth(samples))
    }
    guard case .answered(let numbers) = end, numbers.count == 4 else { return nil }
    let leak = Leak(
      heapBytes: numbers[0], mappedBytes: numbers[1], threads: numbers[2], descriptors: numbers[3])
    return leak.isNone ? nil : leak
  }

  /// The processor time of this process, in seconds.
  private static var usedSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// What came to be more in every cycle: the least of all.
  private static func steadyGrowth(_ samples: [cprocess_holdings]) -> Leak {
    func least(_ value: (cprocess_holdings) -> Int64, atLeast: UInt64) -> UInt64 {
      let growths = zip(samples.dropFirst(), samples).map { value($0) - value($1) }
      let least = UInt64(max(0, growths.min() ?? 0))
      return least >= atLeast ? least : 0
    }
    let heap = least({ Int64($0.heap_bytes) }, atLeast: leastHeapBytes)
    let beside = least({ Int64($0.mapped_bytes) - Int64($0.heap_bytes) }, atLeast: leastMappedBytes)
    return Leak(
      heapBytes: heap, mappedBytes: beside, threads: least({ Int64($0.threads) }, atLeast: 1),
      descriptors: least({ Int64($0.descriptors) }, atLeast: 1))
  }

  private static func numbers(_ leak: Leak) -> [UInt64] {
    [leak.heapBytes, leak.mappedBytes, leak.threads, leak.descriptors]
  }
}

// LeakProbe.swift: detects leaks of plugins. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc
package import PluginModel

/// Resources that an operation leaks each time, such as creating and destroying an instance.
package struct Leak: Sendable, Equatable {
  /// Heap memory in bytes.
  package var heapBytes: UInt64
  /// Other mapped memory in bytes.
  package var mappedBytes: UInt64
  /// Running threads.
  package var threads: UInt64
  /// Open files.
  package var descriptors: UInt64

  /// The total memory in bytes.
  package var bytes: UInt64 { heapBytes + mappedBytes }

  /// Whether the leak is too small to report.
  fileprivate var isSmall: Bool {
    bytes < Self.minimumBytes && threads == 0 && descriptors == 0
  }

  /// A smaller leak may be a list that grows occasionally.
  fileprivate static let minimumBytes: UInt64 = 16

  /// Returns a leak without another one, and 1/`divisor` of the rest.
  fileprivate func without(_ other: Leak, dividedBy divisor: UInt64 = 1) -> Leak {
    func rest(_ value: UInt64, _ other: UInt64) -> UInt64 {
      value > other ? (value - other) / divisor : 0
    }
    return Leak(
      heapBytes: rest(heapBytes, other.heapBytes),
      mappedBytes: rest(mappedBytes, other.mappedBytes),
      threads: rest(threads, other.threads), descriptors: rest(descriptors, other.descriptors))
  }
}

extension MemoryProbe {
  private static let warmingCount = 3
  private static let measuredCount = 6
  /// The number of cycles for slow operations.
  private static let minimumMeasuredCount = 2
  /// A cycle that takes longer than this fraction of the time limit is repeated as rarely as possible, or not
  /// at all.
  private static let (longPart, longestPart) = (0.005, 0.075)
  private static let minimumMappedBytes: UInt64 = 1 << 16
  /// A leak of this size ends the measurement.
  private static let maximumBytes: UInt64 = 256 << 20
  private static let blocks = 2

  /// Returns the leak per instance that is created, used and destroyed, and the leak per block. [main]
  ///
  /// The leak of an instance that renders more blocks shows which part each block leaks.
  package func leaksOfInstances() -> [(Leak.Occasion, Leak)] {
    guard let whole = leakOfInstances(blocks: Self.blocks) else { return [] }
    let longer = leakOfInstances(blocks: 2 * Self.blocks) ?? whole
    let block = longer.without(whole, dividedBy: UInt64(Self.blocks))
    let instance = (0 ..< Self.blocks).reduce(whole) { rest, _ in rest.without(block) }
    return [(.instance, instance), (.block, block)].filter { !$0.1.isSmall }
  }

  /// Returns the leak per instance that renders some blocks; nil for none.
  private func leakOfInstances(blocks: Int) -> Leak? {
    leak {
      let make = try load()
      return {
        let node = try make()
        try node.activate()
        let rows = Rows(node, frameCount)
        for block in 0 ..< blocks {
          rows.fill(block, outputs: 0)
          rows.render(node, frameCount)
        }
        node.deactivate()
        rows.free()
      }
    }
  }

  /// Returns the leak per operation on one instance; nil for none. [main]
  ///
  /// `work` receives the active instance and returns the operation, or nil if there is none.
  package func leak(of work: @escaping (any Node) -> (() -> Void)?) -> Leak? {
    leak {
      let node = try load()()
      try node.activate()
      return work(node)
    }
  }

  /// Returns the leak per save and restore of the state; nil for none. [main]
  package func leakOfSaves() -> Leak? {
    leak { node in
      guard let node = node.capabilities.state, let saved = node.save() else { return nil }
      return {
        _ = node.save()
        try? node.restore(saved)
      }
    }
  }

  /// Repeats the operation until one-time allocations are complete, then measures.
  private func leak(_ begin: @escaping () throws -> (() throws -> Void)?) -> Leak? {
    let end = ForkedRun.end(limitSeconds: limitSeconds, sendHeartbeat) {
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
        let isMuch = samples[count].mapped_bytes > samples[0].mapped_bytes + Self.maximumBytes
        if count >= Self.minimumMeasuredCount, isLong || isMuch { break }
      }
      return Self.numbers(Self.steadyGrowth(samples))
    }
    guard case .answered(let numbers) = end, numbers.count == 4 else { return nil }
    let leak = Leak(
      heapBytes: numbers[0], mappedBytes: numbers[1], threads: numbers[2], descriptors: numbers[3])
    return leak.isSmall ? nil : leak
  }

  /// Returns the processor time of this process, in seconds.
  private static var usedSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// The minimum growth of all cycles.
  private static func steadyGrowth(_ samples: [cprocess_holdings]) -> Leak {
    func least(_ value: (cprocess_holdings) -> Int64, atLeast: UInt64) -> UInt64 {
      let growths = zip(samples.dropFirst(), samples).map { value($0) - value($1) }
      let least = UInt64(max(0, growths.min() ?? 0))
      return least >= atLeast ? least : 0
    }
    let heap = least({ Int64($0.heap_bytes) }, atLeast: Leak.minimumBytes)
    let otherGrowth = least(
      { Int64($0.mapped_bytes) - Int64($0.heap_bytes) }, atLeast: minimumMappedBytes)
    return Leak(
      heapBytes: heap, mappedBytes: otherGrowth, threads: least({ Int64($0.threads) }, atLeast: 1),
      descriptors: least({ Int64($0.descriptors) }, atLeast: 1))
  }

  private static func numbers(_ leak: Leak) -> [UInt64] {
    [leak.heapBytes, leak.mappedBytes, leak.threads, leak.descriptors]
  }
}

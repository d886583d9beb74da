// WorkerTable.swift: the nodes of a worker process by number. SPDX-License-Identifier: MIT

internal import Synchronization

/// Finds nodes of a worker process on its render threads: plain data, which is never freed.
struct WorkerTable: BitwiseCopyable {
  /// More nodes than a rig can contain; two nodes with the same remainder replace each other.
  private static var capacity: Int { @_noLocks get { 4_096 } }

  /// A node; the number is 0 for none.
  private struct Entry: ~Copyable {
    let number = Atomic<UInt32>(0)
    let address = Atomic<UInt>(0)
  }

  private let entries: UnsafeMutablePointer<Entry>

  /// Creates an empty table. [main]
  init() {
    entries = .allocate(capacity: Self.capacity)
    for index in 0 ..< Self.capacity { (entries + index).initialize(to: Entry()) }
  }

  /// Adds a node. [main]
  func add(_ number: UInt32, _ block: UnsafeMutablePointer<WorkerBlock>) {
    let entry = entries + Int(number) % Self.capacity
    entry.pointee.address.store(UInt(bitPattern: block), ordering: .relaxed)
    // Pairs with the acquiring load in `node`.
    entry.pointee.number.store(number, ordering: .releasing)
  }

  /// Removes a node that no request names any more. [main]
  func remove(_ number: UInt32) {
    _ = entries[Int(number) % Self.capacity].number.compareExchange(
      expected: number, desired: 0, ordering: .relaxed)
  }

  /// Returns a node; nil if there is no such node. [a worker's thread]
  @_noLocks
  func node(_ number: UInt32) -> UnsafeMutablePointer<WorkerBlock>? {
    let entry = entries + Int(number) % Self.capacity
    guard number != 0, entry.pointee.number.load(ordering: .acquiring) == number else { return nil }
    return UnsafeMutablePointer(bitPattern: entry.pointee.address.load(ordering: .relaxed))
  }
}

// RenderArena.swift: the single allocation of a render sequence. SPDX-License-Identifier: MIT

import Glibc

/// A block of zeroed memory that is handed out in pieces and freed at once.
///
/// What it will hold is added up first (`reserve`), then taken in the same sizes (`take`).
final class RenderArena {
  private static let alignment = 64
  private let base: UnsafeMutableRawPointer
  private let capacityBytes: Int
  private var usedBytes = 0

  /// Memory for pieces of these sizes, in bytes.
  init(pieces: [Int]) {
    capacityBytes = max(Self.alignment, pieces.reduce(0) { $0 + Self.rounded($1) })
    base = .allocate(byteCount: capacityBytes, alignment: Self.alignment)
    memset(base, 0, capacityBytes)
  }

  deinit {
    base.deallocate()
  }

  /// The next piece, aligned to a cache line.
  ///
  /// It holds plain data only: nothing is deinitialised.
  func take<T: BitwiseCopyable>(_ count: Int, of type: T.Type) -> UnsafeMutablePointer<T> {
    let piece = base.advanced(by: usedBytes)
    usedBytes += Self.rounded(count * MemoryLayout<T>.stride)
    precondition(usedBytes <= capacityBytes, "a program took more memory than it had reserved")
    return piece.bindMemory(to: type, capacity: max(1, count))
  }

  private static func rounded(_ byteCount: Int) -> Int {
    (byteCount + alignment - 1) / alignment * alignment
  }
}

// RenderArena.swift: the single allocation of a render sequence. SPDX-License-Identifier: MIT

import Glibc

/// A block of zeroed memory that is divided into pieces and freed at once.
///
/// The sizes of all pieces are passed to the initialiser; `take` must be called with the same
/// sizes.
final class RenderArena {
  private static let alignment = 64
  private let base: UnsafeMutableRawPointer
  private let capacityBytes: Int
  private var usedBytes = 0

  /// Allocates memory for pieces of these sizes, in bytes.
  init(pieces: [Int]) {
    capacityBytes = max(Self.alignment, pieces.reduce(0) { $0 + Self.rounded($1) })
    base = .allocate(byteCount: capacityBytes, alignment: Self.alignment)
    memset(base, 0, capacityBytes)
  }

  deinit {
    base.deallocate()
  }

  /// Returns the next piece, aligned to a cache line.
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

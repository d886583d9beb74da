// ModuleReadouts.swift: transfers readouts to the main thread. SPDX-License-Identifier: MIT
//
// The functions of the render thread are real-time safe.

import CModule
import Synchronization

/// The readouts of a module, updated on demand.
struct ModuleReadouts: ~Copyable {
  private let function: cmodule_readouts?
  private let count: Int
  /// The buffer that the module writes. [render]
  private let written: UnsafeMutablePointer<Float>
  /// The values for the main thread.
  private let reported: UnsafeMutablePointer<Float>
  private let isRequested = Atomic<Bool>(true)

  /// Allocates values that start at 0. [main]
  init(_ function: cmodule_readouts?, count: Int) {
    self.function = count > 0 ? function : nil
    self.count = count
    written = .allocate(capacity: max(1, count))
    written.initialize(repeating: 0, count: max(1, count))
    reported = .allocate(capacity: max(1, count))
    reported.initialize(repeating: 0, count: max(1, count))
  }

  deinit {
    written.deallocate()
    reported.deallocate()
  }

  /// Reads the readouts from the module if they were requested. [render, after a block]
  @_noLocks
  func readIfRequested(_ instance: UnsafeMutableRawPointer?) {
    guard let function, isRequested.load(ordering: .relaxed) else { return }
    isRequested.store(false, ordering: .relaxed)
    request(function, instance)
  }

  /// Reads the readouts from the module at once. [main, not rendering]
  func refresh(_ instance: UnsafeMutableRawPointer?) {
    if let function { request(function, instance) }
  }

  /// Returns the last value and requests a new one after the next block. [main]
  func value(_ index: Int) -> Float {
    isRequested.store(true, ordering: .relaxed)
    return cmodule_value(reported + index)
  }

  @_noLocks
  private func request(_ function: cmodule_readouts, _ instance: UnsafeMutableRawPointer?) {
    cmodule_read_out(function, instance, written)
    for index in 0 ..< count { cmodule_set_value(reported + index, written[index]) }
  }
}

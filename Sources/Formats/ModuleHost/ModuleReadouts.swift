// ModuleReadouts.swift: what a module measures, on its way to the main thread. SPDX-License-Identifier: MIT
//
// A run file for what the render thread calls.

import CModule
import Synchronization

/// The values that a module's `readouts` gives, asked for when somebody looks.
struct ModuleReadouts: ~Copyable {
  private let function: cmodule_readouts?
  private let count: Int
  /// Where the module writes, at its leisure. [render]
  private let written: UnsafeMutablePointer<Float>
  /// What the main thread reads.
  private let told: UnsafeMutablePointer<Float>
  private let isWanted = Atomic<Bool>(true)

  /// Room for values that all begin at 0. [main]
  init(_ function: cmodule_readouts?, count: Int) {
    self.function = count > 0 ? function : nil
    self.count = count
    written = .allocate(capacity: max(1, count))
    written.initialize(repeating: 0, count: max(1, count))
    told = .allocate(capacity: max(1, count))
    told.initialize(repeating: 0, count: max(1, count))
  }

  deinit {
    written.deallocate()
    told.deallocate()
  }

  /// Asks the module, where somebody wants to know. [render, after a block]
  @_noLocks
  func tell(_ instance: UnsafeMutableRawPointer?) {
    guard let function, isWanted.load(ordering: .relaxed) else { return }
    isWanted.store(false, ordering: .relaxed)
    ask(function, instance)
  }

  /// Asks the module at once. [main, not rendering]
  func refresh(_ instance: UnsafeMutableRawPointer?) {
    if let function { ask(function, instance) }
  }

  /// What was told last; the next block will tell anew. [main]
  func value(_ index: Int) -> Float {
    isWanted.store(true, ordering: .relaxed)
    return cmodule_value(told + index)
  }

  @_noLocks
  private func ask(_ function: cmodule_readouts, _ instance: UnsafeMutableRawPointer?) {
    cmodule_read_out(function, instance, written)
    for index in 0 ..< count { cmodule_set_value(told + index, written[index]) }
  }
}

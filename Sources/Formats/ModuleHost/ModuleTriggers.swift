// ModuleTriggers.swift: parameters that go back by themselves once the module has seen them. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs.

import PluginModel
import Synchronization

/// The triggers among a module's parameters.
struct ModuleTriggers: ~Copyable {
  /// A place among the parameters, and the value at rest.
  private typealias Trigger = (index: Int, rest: Float)

  private let triggers: UnsafeMutablePointer<Trigger>
  private let count: Int

  /// Those that are triggers. [main]
  init(_ parameters: [Parameter]) {
    let found = parameters.enumerated().filter { $0.element.traits.contains(.trigger) }
    count = found.count
    triggers = .allocate(capacity: max(1, count))
    for (place, (index, parameter)) in found.enumerated() {
      (triggers + place).initialize(to: (index, parameter.defaultValue))
    }
  }

  deinit { triggers.deallocate() }

  /// Puts back those that the module has been given, unless they were set anew meanwhile. [render]
  @_noLocks
  func rest(_ module: UnsafeMutablePointer<ModuleState>) {
    for place in 0 ..< count {
      let (index, rest) = triggers[place]
      let used = module.pointee.values[index]
      guard used != rest else { continue }
      module.pointee.values[index] = rest
      module.pointee.glides[index].value = rest
      module.pointee.glides[index].target = rest
      _ = module.pointee.targets[index].compareExchange(
        expected: used.bitPattern, desired: rest.bitPattern, ordering: .relaxed)
    }
  }
}

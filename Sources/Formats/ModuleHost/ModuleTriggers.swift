// ModuleTriggers.swift: parameters that reset after one call. SPDX-License-Identifier: MIT
//
// Real-time safe: no allocation, freeing, locks, waiting, errors or logging.

import PluginModel
import Synchronization

/// The triggers of a module.
struct ModuleTriggers: ~Copyable {
  /// The index of a parameter and its value at rest.
  private typealias Trigger = (index: Int, rest: Float)

  private let triggers: UnsafeMutablePointer<Trigger>
  private let count: Int

  /// Finds the triggers. [main]
  init(_ parameters: [Parameter]) {
    let found = parameters.enumerated().filter { $0.element.traits.contains(.trigger) }
    count = found.count
    triggers = .allocate(capacity: max(1, count))
    for (position, (index, parameter)) in found.enumerated() {
      (triggers + position).initialize(to: (index, parameter.defaultValue))
    }
  }

  deinit { triggers.deallocate() }

  /// Resets the triggers that the module has received, unless they were set again meanwhile. [render]
  @_noLocks
  func rest(_ module: UnsafeMutablePointer<ModuleState>) {
    for position in 0 ..< count {
      let (index, rest) = triggers[position]
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

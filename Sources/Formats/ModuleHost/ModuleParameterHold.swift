// ModuleParameterHold.swift: holds a parameter of a module at another value than the stored one.
// SPDX-License-Identifier: MIT
//
// Real-time code, as ModuleState.swift.

import Synchronization

/// Holds a parameter at a value from the next frame on, or lets it take the stored value; ignores an unknown parameter.
///
/// During a running ramp, the value is the target of the rest. [render]
@_noLocks @c(outboard_module_hold)
func holdModuleParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isHeld: Bool
) {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  let index = Int(index)
  guard index < module.pointee.parameterCount else { return }
  let glide = module.pointee.glides + index
  // `startRamps` takes the stored value.
  glide.pointee.isHeld = isHeld
  guard isHeld else { return }
  glide.pointee.target = value
  guard glide.pointee.remainingSlices == 0 else { return }
  glide.pointee.value = value
  module.pointee.values[index] = value
}

/// Returns the stored value of a parameter; 0 for an unknown one. [render]
@_noLocks @c(outboard_module_stored)
func storedModuleValue(_ context: UnsafeMutableRawPointer, _ index: UInt32) -> Float {
  let module = context.assumingMemoryBound(to: ModuleState.self)
  guard Int(index) < module.pointee.parameterCount else { return 0 }
  return Float(bitPattern: module.pointee.targets[Int(index)].load(ordering: .relaxed))
}

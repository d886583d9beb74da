// LV2Worker.swift: the owner of a node's worker. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// Runs non-real-time work of a plugin; only for plugins that request it.
final class LV2Worker {
  /// The handle of the C functions.
  let pointer: OpaquePointer

  /// Creates a worker that runs work at once (`isOffline`) or on its own thread. [main]
  init(isOffline: Bool) {
    guard let pointer = clv2_worker_create(isOffline) else {
      fatalError("no memory for an LV2 worker")
    }
    self.pointer = pointer
  }

  deinit {
    clv2_worker_stop(pointer)
    clv2_worker_destroy(pointer)
  }

  /// Starts the worker of an instance. [main, inactive]
  func start(_ instance: borrowing LV2Instance, name: String) throws(LV2Error) {
    // This queries extension data.
    let code = instance.exclusively(.quick("extension_data")) {
      clv2_worker_start(pointer, instance.descriptor, instance.handle)
    }
    guard code == 0 else {
      throw .refused(
        message: "\(name) needs a worker thread, but the system could not start one "
          + "(\(String(cString: strerror(code)))).")
    }
  }

  /// Runs requests of this thread at once until `endRestore`; `isAlone` also stops all other work. [main]
  func beginRestore(_ instance: borrowing LV2Instance, isAlone: Bool) {
    ForeignCode.watched(instance.owner, .slow("work")) {
      clv2_worker_begin_restore(pointer, instance.descriptor, instance.handle, isAlone)
    }
  }

  /// Ends `beginRestore`. [main]
  func endRestore() { clv2_worker_end_restore(pointer) }

  /// Stops the worker; no function of the instance is called afterwards. [main, not rendering]
  func stop(_ instance: borrowing LV2Instance) {
    ForeignCode.watched(instance.owner, .slow("work")) { clv2_worker_stop(pointer) }
  }
}

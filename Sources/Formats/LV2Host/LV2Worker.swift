// LV2Worker.swift: the owner of a node's worker. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc

/// Does what a plugin must not do in `run`; only for plugins that ask for it.
final class LV2Worker {
  /// What the C functions take.
  let pointer: OpaquePointer

  /// A worker that does its work at once (`isOffline`) or on a thread of its own. [main]
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

  /// Begins to work for an instance. [main, inactive]
  func start(_ instance: borrowing LV2Instance, name: String) throws(LV2Error) {
    // It asks for extension data.
    let code = instance.exclusively {
      clv2_worker_start(pointer, instance.descriptor, instance.handle)
    }
    guard code == 0 else {
      throw .refused(
        sentence: "\(name) needs a worker thread, but the system could not start one "
          + "(\(String(cString: strerror(code)))).")
    }
  }

  /// Until `endRestore`, does at once what is asked for on this thread; `isAlone` stops all other work
  /// meanwhile. [main]
  func beginRestore(_ instance: borrowing LV2Instance, isAlone: Bool) {
    clv2_worker_begin_restore(pointer, instance.descriptor, instance.handle, isAlone)
  }

  /// The end of it. [main]
  func endRestore() { clv2_worker_end_restore(pointer) }

  /// Ends it; nothing of the instance is called afterwards. [main, not rendering]
  func stop() { clv2_worker_stop(pointer) }
}

// ForeignCode.swift: calls into plugins outside of rendering, and their side effects.
// SPDX-License-Identifier: MIT

internal import CProcess
package import ErrorModel
internal import Glibc
internal import Synchronization

/// Calls into plugins from ordinary threads.
///
/// A plugin may change the state of the process: the working directory, the locale, the signal mask
/// and more. Later code must not depend on that, so each call restores the state and records the
/// plugin.
package enum ForeignCode {
  /// Parts of the process's state that a plugin changed.
  package struct Changes: OptionSet, Sendable, Hashable {
    /// Bits of `cprocess_state.h`.
    package let rawValue: UInt32
    /// Creates changes from bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Rounding, denormals or exceptions of floating-point operations.
    package static let floatingPoint = Changes(rawValue: UInt32(CPROCESS_FLOATING_POINT))

    /// The changes as readable text.
    package var text: String {
      let names = Self.names.filter { rawValue & UInt32($0.bit) != 0 }.map(\.name)
      guard let last = names.last, names.count > 1 else { return names.first ?? "" }
      return names.dropLast().joined(separator: ", ") + " and " + last
    }

    private static let names: [(bit: Int, name: String)] = [
      (CPROCESS_FLOATING_POINT, "the floating-point mode"),
      (CPROCESS_SIGNAL_MASK, "the signal mask"), (CPROCESS_FOLDER, "the working directory"),
      (CPROCESS_FILE_MODE, "the file mode mask (umask)"), (CPROCESS_LOCALE, "the locale"),
      (CPROCESS_SIGNAL_HANDLERS, "signal handlers"), (CPROCESS_PRIORITY, "the priority"),
      (CPROCESS_PROCESSORS, "the processors it may use"), (CPROCESS_LIMITS, "resource limits"),
      (CPROCESS_TIMER, "a timer that ends the process (alarm)"),
      (CPROCESS_ENVIRONMENT, "the environment variables"),
      (CPROCESS_TIMER_SLACK, "the timer slack"),
    ].map { (Int($0.0), $0.1) }
  }

  private struct Record {
    var found: [String: Changes] = [:]
    /// The plugins that made changes since the last call, in order of detection.
    var fresh: [(name: String, changes: Changes)] = []
  }
  private static let record = Mutex(Record())

  /// Sets Qt to offscreen mode if there is no display, once.
  ///
  /// Synthesisers with Qt create an application object in `instantiate`. Qt aborts the process if it finds no display.
  /// User settings take precedence. This must precede every call: a plugin that is called meanwhile on another thread
  /// would seem to have changed the environment, and the change would be undone.
  fileprivate static let preparation: Void = {
    // An empty variable is the same as no display.
    let names = ["DISPLAY", "WAYLAND_DISPLAY"]
    guard names.allSatisfy({ (getenv($0)?.pointee ?? 0) == 0 }) else { return }
    setenv("QT_QPA_PLATFORM", "offscreen", 0)
  }()

  /// Keeps libraries loaded after their last use, so that profilers find the source lines of their code. [any]
  package static func keepLibraries() { keeps.store(true, ordering: .relaxed) }

  /// Whether libraries stay loaded after their last use. [any]
  package static var keepsLibraries: Bool { keeps.load(ordering: .relaxed) }

  private static let keeps = Atomic(false)

  /// Calls plugin code, then restores the state of the process and of this thread. [any, never
  /// render]
  ///
  /// Memory that the code allocates meanwhile contains zeros, if the heap supports it.
  ///
  /// - Parameters:
  ///   - owner: the owner of the code, for messages.
  ///   - function: the name of the called function.
  ///   - body: the call.
  /// - Returns: the result of the call.
  /// - Throws: the error of the call.
  package static func call<Value: ~Copyable, Failure: Error>(
    _ owner: Owner, _ function: Function, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    _ = preparation
    let state = cprocess_state_read()
    // Some plugins read memory that they have not initialised.
    cprocess_clear_heap()
    defer {
      cprocess_leave_heap()
      if let state {
        report(Changes(rawValue: cprocess_state_restore(state, .max)), by: owner.plugin)
      }
    }
    return try watched(owner, function, body)
  }

  /// Records that a plugin changed something. [any, never render]
  package static func report(_ changes: Changes, by name: String) {
    guard !changes.isEmpty else { return }
    record.withLock { record in
      let fresh = changes.subtracting(record.found[name] ?? [])
      guard !fresh.isEmpty else { return }
      record.found[name, default: []].formUnion(fresh)
      record.fresh.append((name, fresh))
    }
  }

  /// All that a plugin is known to have changed in this process. [any]
  package static func changes(by name: String) -> Changes {
    record.withLock { $0.found[name] ?? [] }
  }

  /// Returns a notice for each of these plugins that changed something since the last call. [any]
  package static func takeNotices(by names: Set<String>) -> [HostNotice] {
    let fresh = record.withLock { record in
      let fresh = record.fresh.filter { names.contains($0.name) }
      record.fresh.removeAll { names.contains($0.name) }
      return fresh
    }
    return fresh.map { .processChanged(by: $0.name, $0.changes.text) }
  }
}

/// A snapshot of the process state that all threads share.
///
/// A plugin may change it from a thread without `ForeignCode.call`: a render thread, or one of the
/// plugin's own threads. [main]
package final class SharedProcessState {
  private var state: OpaquePointer?

  /// Reads the state. [main]
  package init() {
    _ = ForeignCode.preparation
    state = cprocess_state_read()
  }

  deinit {
    if let state { _ = cprocess_state_restore(state, 0) }
  }

  /// Restores the changes with about 100 system calls. [main]
  ///
  /// - Returns: the changes.
  package func restore() -> ForeignCode.Changes {
    guard let before = state else { return [] }
    let changed = cprocess_state_restore(before, UInt32(CPROCESS_SHARED))
    state = cprocess_state_read()
    return ForeignCode.Changes(rawValue: changed)
  }
}

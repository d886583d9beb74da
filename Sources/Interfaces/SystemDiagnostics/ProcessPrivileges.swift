// ProcessPrivileges.swift: the privileges of this process. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import RealtimeKit

/// Privileges that must be tested or read from the kernel.
package struct ProcessPrivileges: Sendable {
  /// The name of the user; nil if it is unknown.
  package var userName: String?
  /// Whether the user is root.
  package var isRoot = false
  /// The ids of its groups.
  package var groups: [UInt32] = []
  /// The errno value of a request for SCHED_FIFO; 0 if it is granted.
  package var schedulingError: Int32 = 0
  /// The errno value of locking memory; 0 if it is granted.
  package var memoryError: Int32 = 0
  /// The highest real-time priority of the limits, 0 to 99.
  package var realtimePriorityLimit = 0
  /// The limit of locked memory in bytes; nil if there is none.
  package var lockedMemoryLimit: Int?
  /// The resolution of timers in nanoseconds.
  package var timerResolutionNanoseconds = 1
  /// The errno value of opening a file to read and write; 0 if it succeeds.
  package var refusal: @Sendable (_ path: String) -> Int32 = { _ in 0 }

  /// A process with all privileges, as a base for tests.
  package init() {}

  /// Reads the privileges of this process. [main]
  ///
  /// Starts a short thread, and locks the memory for a moment.
  package static func current() -> ProcessPrivileges {
    var privileges = ProcessPrivileges()
    privileges.isRoot = geteuid() == 0
    if let record = unsafe getpwuid(geteuid()) {
      privileges.userName = unsafe String(cString: record.pointee.pw_name)
    }
    privileges.groups = currentGroups()
    privileges.schedulingError = testScheduling()
    privileges.memoryError = crealtime_lock_memory()
    if privileges.memoryError == 0 { munlockall() }
    privileges.realtimePriorityLimit = limit(__RLIMIT_RTPRIO).map { min($0, 99) } ?? 99
    privileges.lockedMemoryLimit = limit(__RLIMIT_MEMLOCK)
    var resolution = timespec()
    unsafe clock_getres(CLOCK_MONOTONIC, &resolution)
    privileges.timerResolutionNanoseconds = resolution.tv_sec * 1_000_000_000 + resolution.tv_nsec
    privileges.refusal = { path in unsafe access(path, R_OK | W_OK) == 0 ? 0 : errno }
    return privileges
  }

  private static func currentGroups() -> [UInt32] {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return groups.prefix(max(0, Int(count))) + [getegid()]
  }

  private static func testScheduling() -> Int32 {
    let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { unsafe context.deallocate() }
    do {
      let thread = try unsafe RealtimeThread(entry: isNobody, context: context)
      let error = thread.schedulingError
      thread.join()
      return error
    } catch {
      return error.error
    }
  }

  private static func limit(_ resource: __rlimit_resource) -> Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return Int(clamping: limit.rlim_cur)
  }
}

/// The main function of a thread that does nothing.
private func isNobody(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { nil }

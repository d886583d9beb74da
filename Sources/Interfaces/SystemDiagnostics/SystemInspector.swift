// SystemInspector.swift: all system checks in their order. SPDX-License-Identifier: MIT

/// Checks a system for audio problems without changing it.
package struct SystemInspector {
  let files: SystemFiles
  let facts: ProcessPrivileges
  /// Returns the programs that use a card, e.g.
  ///
  /// `aplay (process 312)`.
  let holders: (_ card: Int) -> [String]
  /// The running processes.
  let processes: [RunningProcess]

  /// Creates an inspector of a system, given its files and the limits of a process.
  ///
  /// - Parameters:
  ///   - files: the files in /proc, /sys, /dev, /etc and /boot.
  ///   - facts: the privileges of a process.
  ///   - holders: returns the programs that use the card with a number.
  package init(
    files: SystemFiles = SystemFiles(), facts: ProcessPrivileges,
    holders: @escaping (_ card: Int) -> [String]
  ) {
    self.files = files
    self.facts = facts
    self.holders = holders
    processes = RunningProcess.all(files)
  }

  /// Returns all checks: the process, the cards, the kernel, the CPUs, the system. [main]
  package func checks() -> [SystemCheck] {
    [
      realtimeRights(), memoryLock(), cards(), cardPermission(), cardHolders(), soundServers(),
      preemption(), interruptThreads(), sharedInterrupts(), realtimeBudget(), timers(),
      clockSource(), frequencyScaling(), idleStates(), throttling(), cores(), swap(),
    ] + [usbSuspend(), usbHubs(), boardPower()].compactMap(\.self) + [virtualisation()]
  }
}

/// A process in the kernel's list.
struct RunningProcess {
  let id: Int
  /// The name, at most 15 characters.
  let name: String
  /// The real-time priority, 1 to 99; 0 for normal scheduling.
  let realtimePriority: Int

  /// All running processes.
  static func all(_ files: SystemFiles) -> [RunningProcess] {
    files.names(in: "/proc").compactMap(Int.init).sorted().compactMap { id in
      guard let text = files.text("/proc/\(id)/stat"), let open = text.firstIndex(of: "("),
        let close = text.lastIndex(of: ")")
      else { return nil }
      // proc(5): the state is field 3, the real-time priority field 40.
      let fields = text[text.index(after: close)...].fields
      return RunningProcess(
        id: id, name: String(text[text.index(after: open) ..< close]),
        realtimePriority: fields.count > 37 ? Int(fields[37]) ?? 0 : 0)
    }
  }
}

// SystemInspector.swift: all that is checked of a machine, in the order it is told. SPDX-License-Identifier: MIT

/// A machine as sound finds it; looking changes nothing.
package struct SystemInspector {
  let files: SystemFiles
  let facts: ProcessPrivileges
  /// The programs that hold a card's streams, as `aplay (process 312)`.
  let holders: (_ card: Int) -> [String]
  /// The processes that run.
  let processes: [RunningProcess]

  /// A machine seen through its files and one process.
  ///
  /// - Parameters:
  ///   - files: its /proc, /sys, /dev, /etc and /boot.
  ///   - facts: what a process is granted there.
  ///   - holders: who holds the card of a number.
  package init(
    files: SystemFiles = SystemFiles(), facts: ProcessPrivileges,
    holders: @escaping (_ card: Int) -> [String]
  ) {
    self.files = files
    self.facts = facts
    self.holders = holders
    processes = RunningProcess.all(files)
  }

  /// Every check: what the process may do, the cards, the kernel, the processor, the whole. [main]
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
  /// Its name, at most 15 characters.
  let name: String
  /// Its real-time priority, 1 to 99; 0 where it is scheduled as usual.
  let realtimePriority: Int

  /// All that the kernel shows.
  static func all(_ files: SystemFiles) -> [RunningProcess] {
    files.names(in: "/proc").compactMap(Int.init).sorted().compactMap { id in
      guard let text = files.text("/proc/\(id)/stat"), let open = text.firstIndex(of: "("),
        let close = text.lastIndex(of: ")")
      else { return nil }
      // proc(5): the state is the third field, the real-time priority the fortieth.
      let fields = text[text.index(after: close)...].words
      return RunningProcess(
        id: id, name: String(text[text.index(after: open) ..< close]),
        realtimePriority: fields.count > 37 ? Int(fields[37]) ?? 0 : 0)
    }
  }
}

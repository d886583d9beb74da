// SystemInspector.swift: all system checks in their order. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

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

extension SystemInspector {
  /// Checks whether real-time scheduling is granted.
  func realtimeRights() -> SystemCheck {
    let subject = CheckDescription(
      id: "realtime", title: "Real-time rights",
      reason: "Without them, any other program can delay the audio.")
    let priority = Int(RealtimeThread.audioPriority)
    guard facts.schedulingError != 0 else {
      return subject.result(.ok, "SCHED_FIFO at priority \(priority) is granted.")
    }
    var found =
      "SCHED_FIFO at priority \(priority) was denied; the limit is"
      + " \(facts.realtimePriorityLimit)."
    if processes.contains(where: { $0.name == "rtkit-daemon" }) {
      found += " rtkit is running, but its maximum priority is too low."
    }
    if let group = starvedGroup {
      return subject.result(
        .error, found + " The control group \(group) has no real-time budget.",
        commands: ["echo 950000 | sudo tee /sys/fs/cgroup/cpu\(group)/cpu.rt_runtime_us"])
    }
    return subject.result(
      .error, found, commands: limitCommand("rtprio", "95"),
      advice: advice(container: "--cap-add=SYS_NICE --ulimit rtprio=95", unit: "LimitRTPRIO=95"))
  }

  /// Checks whether memory can be locked.
  func memoryLock() -> SystemCheck {
    let subject = CheckDescription(
      id: "memory", title: "Memory lock",
      reason: "Swapped memory takes milliseconds to return.")
    let commands = limitCommand("memlock", "unlimited")
    let advice = advice(
      container: "--cap-add=IPC_LOCK --ulimit memlock=-1", unit: "LimitMEMLOCK=infinity")
    let limit = facts.lockedMemoryLimit.map { "\($0 >> 20) MB" }
    guard facts.memoryError == 0 else {
      return subject.result(
        .warning, "Locking the memory was denied; the limit is \(limit ?? "none").",
        commands: commands, advice: advice)
    }
    guard let limit, let bytes = facts.lockedMemoryLimit, bytes < Self.sufficientMemoryBytes,
      !holdsCapability(Self.lockCapability)
    else { return subject.result(.ok, "All memory can be locked.") }
    return subject.result(
      .warning, "Memory can be locked, but only \(limit); large plugins need more.",
      commands: commands, advice: advice)
  }

  /// More than a rig of large plugins needs.
  private static let sufficientMemoryBytes = 1 << 30
  /// CAP_IPC_LOCK, which overrides the limit.
  private static let lockCapability = 14

  private func holdsCapability(_ number: Int) -> Bool {
    let line = files.lines("/proc/self/status").first { $0.hasPrefix("CapEff:") }
    guard let digits = line?.fields.last, let mask = UInt64(digits, radix: 16) else { return false }
    return mask & (1 << UInt64(number)) != 0
  }

  // MARK: - Remedies

  private static let limitsDirectory = "/etc/security/limits.d"
  private static let limitsFile = limitsDirectory + "/audio.conf"

  /// Returns the commands that grant a limit to the group audio, and add the user to the group, if necessary.
  private func limitCommand(_ item: String, _ value: String) -> [String] {
    guard !facts.isRoot else { return [] }
    var commands: [String] = []
    if !isGranted(item) {
      // If jackd was installed without real-time rights, its limits file exists under another name.
      let unused = Self.limitsFile + ".disabled"
      commands.append(
        files.exists(unused) && !files.exists(Self.limitsFile)
          ? "sudo mv \(unused) \(Self.limitsFile)"
          : "echo '@audio - \(item) \(value)' | sudo tee -a \(Self.limitsFile)")
    }
    return commands + (isAudioMember ? [] : [joinAudioGroup])
  }

  private func advice(container: String, unit: String) -> String {
    if isContainer { return "In a container: start it with \(container)." }
    if facts.isRoot {
      return "Even root has no permission. Check the limits of the service or container that starts"
        + " Outboard."
    }
    return "Then log in again. A service needs \(unit) in its unit."
  }

  /// Whether the system limits grant an item to the group audio or to everybody.
  private func isGranted(_ item: String) -> Bool {
    let paths =
      ["/etc/security/limits.conf"]
      + files.names(in: Self.limitsDirectory).filter { $0.hasSuffix(".conf") }
      .map { "\(Self.limitsDirectory)/\($0)" }
    return paths.flatMap(files.lines).contains { line in
      let words = line.prefix { $0 != "#" }.fields
      guard words.count == 4, words[2] == item, words[1] != "soft" else { return false }
      let isMeant = words[0] == "@audio" || words[0] == "*" || words[0] == facts.userName
      return isMeant && words[3] != "0"
    }
  }

  /// Whether the process is in the group that owns sound cards.
  var isAudioMember: Bool {
    let line = files.lines("/etc/group").first { $0.hasPrefix("audio:") }
    let fields = line?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard fields.count > 2, let number = UInt32(fields[2]) else { return false }
    return facts.groups.contains(number)
  }

  /// The command that adds the user to that group.
  var joinAudioGroup: String { "sudo usermod --append --groups audio \(facts.userName ?? "$USER")" }

  /// The control group of the process, if the kernel assigns real-time budgets to groups and this one has none.
  private var starvedGroup: String? {
    let line = files.lines("/proc/self/cgroup").first { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      return fields.count == 3 && fields[1].split(separator: ",").contains("cpu")
    }
    guard let group = line?.split(separator: ":").last, group != "/" else { return nil }
    return files.number("/sys/fs/cgroup/cpu\(group)/cpu.rt_runtime_us") == 0 ? String(group) : nil
  }
}

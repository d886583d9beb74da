// SystemInspector+Kernel.swift: kernel settings for real-time audio. SPDX-License-Identifier: MIT

extension SystemInspector {
  /// Checks the preemption model of the kernel.
  func preemption() -> SystemCheck {
    let subject = CheckDescription(
      id: "preemption", title: "Kernel preemption",
      reason: "Kernel code that cannot be interrupted delays the audio.")
    guard let mode = preemptionMode else {
      return subject.result(.unknown, "The kernel does not report its preemption model.")
    }
    switch mode {
    case "rt": return subject.result(.ok, "PREEMPT_RT: the kernel is a real-time kernel.")
    case "full": return subject.result(.ok, "PREEMPT: nearly all kernel code can be interrupted.")
    default:
      let name = mode == "none" ? "PREEMPT_NONE" : "PREEMPT_\(mode.uppercased())"
      let found = "\(name): only some kernel code can be interrupted."
      guard isDynamic else {
        return subject.result(
          .warning, found,
          commands: files.exists("/etc/debian_version")
            ? ["sudo apt install linux-image-rt-\(architecture)"] : [],
          advice: "For short periods, install a kernel with PREEMPT or PREEMPT_RT.")
      }
      return subject.result(
        .warning, found, commands: bootOption("preempt=full"),
        advice: kernelOptionAdvice("preempt=full")
      )
    }
  }

  private var version: String { files.text("/proc/version") ?? "" }
  private var isDynamic: Bool { version.contains("PREEMPT_DYNAMIC") }
  private var bootOptions: [String] { files.text("/proc/cmdline")?.fields ?? [] }
  private var release: String { files.text("/proc/sys/kernel/osrelease") ?? "" }

  /// The CPU architecture in Debian package names, from the kernel's name.
  private var architecture: String {
    for name in ["amd64", "arm64", "686-pae", "armmp"] where release.hasSuffix(name) { return name }
    return "amd64"
  }

  /// The preemption model: `rt`, `full`, `lazy`, `voluntary` or `none`; nil if unknown.
  private var preemptionMode: String? {
    if files.number("/sys/kernel/realtime") == 1 || version.contains("PREEMPT_RT") { return "rt" }
    if isDynamic { return dynamicMode }
    // SMP PREEMPT, followed by a space or the end.
    if version.fields.contains("PREEMPT") { return "full" }
    return configuredMode ?? (version.isEmpty ? nil : "voluntary")
  }

  private var dynamicMode: String? {
    // Only root can read this file: none voluntary (full).
    if let modes = files.text("/sys/kernel/debug/sched/preempt"),
      let chosen = modes.fields.first(where: { $0.hasPrefix("(") })
    {
      return String(chosen.dropFirst().dropLast())
    }
    if let option = bootOptions.last(where: { $0.hasPrefix("preempt=") }) {
      return String(option.dropFirst("preempt=".count))
    }
    return configuredMode
  }

  private var configuredMode: String? {
    let choices = [
      ("CONFIG_PREEMPT_RT=y", "rt"), ("CONFIG_PREEMPT_LAZY=y", "lazy"),
      ("CONFIG_PREEMPT=y", "full"), ("CONFIG_PREEMPT_VOLUNTARY=y", "voluntary"),
      ("CONFIG_PREEMPT_NONE=y", "none"),
    ]
    let lines = configuration
    return choices.first { choice in lines.contains { $0 == choice.0 } }?.1
  }

  private var configuration: [Substring] {
    let atBoot = files.lines("/boot/config-\(release)")
    return atBoot.isEmpty ? files.lines("/lib/modules/\(release)/config") : atBoot
  }

  // MARK: - Boot options

  /// Returns the commands that add a boot option, for the installed boot loader.
  func bootOption(_ option: String) -> [String] {
    for path in ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt"] where files.exists(path) {
      return ["sudo sed -i '1s/$/ \(option)/' \(path)"]
    }
    guard files.exists("/etc/default/grub") else { return [] }
    return [
      "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&\(option) /' /etc/default/grub", "sudo update-grub",
    ]
  }

  /// Returns the advice for these commands.
  func kernelOptionAdvice(_ option: String) -> String {
    bootOption(option).isEmpty
      ? "Add \(option) to the kernel command line and reboot."
      : "Then reboot."
  }

  // MARK: - Interrupts

  /// Checks whether interrupts of other devices can have a lower priority than the card.
  func interruptThreads() -> SystemCheck {
    let subject = CheckDescription(
      id: "interrupts", title: "Interrupt threads",
      reason: "Otherwise interrupts of disks and networks delay the audio.")
    let threads = processes.filter { $0.name.hasPrefix("irq/") }
    let sound = threads.filter { $0.name.contains("snd") || isUSBController($0.name) }
    guard preemptionMode == "rt" || bootOptions.contains("threadirqs") else {
      return subject.result(
        .warning, "Interrupts are not threaded.",
        commands: bootOption("threadirqs"), advice: kernelOptionAdvice("threadirqs"))
    }
    // The kernel starts all interrupt threads at 50, below the audio thread, which waits for them.
    let low = sound.filter { $0.realtimePriority <= Self.defaultInterruptPriority }
    guard !low.isEmpty else {
      return subject.result(
        .ok,
        sound.isEmpty
          ? "Interrupts are threaded." : "\(list(sound)) before those of other devices.")
    }
    return subject.result(
      .warning, "\(list(low)), like the interrupt threads of all other devices.",
      commands: low.map { "sudo chrt --fifo --pid 85 \($0.id)" },
      advice: "The package rtirq-init does this at every boot.")
  }

  private static let defaultInterruptPriority = 50

  private func isUSBController(_ name: String) -> Bool {
    !usbCards.isEmpty && ["xhci", "ehci", "dwc_otg"].contains { name.contains($0) }
  }

  private func list(_ threads: [RunningProcess]) -> String {
    threads.map { "\($0.name) runs at \($0.realtimePriority)" }.enumeration
  }

  /// Checks whether a card shares its interrupt.
  func sharedInterrupts() -> SystemCheck {
    let subject = CheckDescription(
      id: "sharing", title: "Shared interrupts",
      reason: "Another device on the same interrupt can delay the card.")
    let buses = usbCards.compactMap { files.number("\($0.path)/busnum") }.map { ":usb\($0)" }
    let shared = files.lines("/proc/interrupts").compactMap { line -> String? in
      let parts = line.split(separator: ",").map(\.trimmed)
      guard parts.count > 1, let number = line.split(separator: ":").first?.trimmed,
        Int(number) != nil, let first = parts[0].fields.last
      else { return nil }
      let devices = [first] + parts.dropFirst()
      let isAudio = devices.contains { device in
        device.contains("snd") || buses.contains { device.hasSuffix($0) }
      }
      return isAudio ? "\(devices.enumeration) share interrupt \(number)" : nil
    }
    guard !shared.isEmpty else { return subject.result(.ok, "No card shares an interrupt.") }
    return subject.result(
      .warning, shared.joined(separator: "; ") + ".",
      advice: "Move the card to another slot or port, or disable the other device.")
  }

  // MARK: - Time

  /// Checks the real-time budget of the kernel.
  func realtimeBudget() -> SystemCheck {
    let subject = CheckDescription(
      id: "budget", title: "Real-time budget",
      reason: "The kernel stops real-time threads that exceed this budget.")
    guard let runtime = files.number("/proc/sys/kernel/sched_rt_runtime_us") else {
      return subject.result(.unknown, "The kernel does not report it.")
    }
    guard runtime >= 0 else {
      return subject.result(
        .ok, "No limit. A plugin in an endless loop would freeze the system.")
    }
    let period = max(1, files.number("/proc/sys/kernel/sched_rt_period_us") ?? 1_000_000)
    let percent = runtime * 100 / period
    guard percent < 90 else { return subject.result(.ok, "\(percent) % of a second.") }
    return subject.result(
      .warning, "\(percent) % of a second.",
      commands: ["sudo sysctl kernel.sched_rt_runtime_us=\(period / 100 * 95)"])
  }

  /// Checks for high-resolution timers.
  func timers() -> SystemCheck {
    let subject = CheckDescription(
      id: "timers", title: "Timers",
      reason: "Devices without an interrupt depend on timers.")
    let nanoseconds = facts.timerResolutionNanoseconds
    guard nanoseconds > 1_000 else {
      return subject.result(.ok, "High-resolution timers, exact to \(nanoseconds) ns.")
    }
    return subject.result(
      .warning, "Timers are exact to \(nanoseconds / 1_000) \u{b5}s, the kernel's tick.",
      advice:
        "Boot without highres=off, or use a kernel with high-resolution timers.")
  }

  /// Checks whether reading the clock is fast.
  func clockSource() -> SystemCheck {
    let subject = CheckDescription(
      id: "clock", title: "Clock source",
      reason: "The clock is read in every period.")
    let directory = "/sys/devices/system/clocksource/clocksource0"
    guard let source = files.text("\(directory)/current_clocksource") else {
      return subject.result(.unknown, "The kernel does not report it.")
    }
    guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(source) else {
      return subject.result(.ok, "\(source).")
    }
    let better = files.text("\(directory)/available_clocksource")?.fields.first { $0 == "tsc" }
    return subject.result(
      .warning, "\(source), which takes several microseconds to read.",
      commands: better.map { ["echo \($0) | sudo tee \(directory)/current_clocksource"] } ?? [],
      advice: better == nil ? "The kernel rejected the TSC of the CPU. See `sudo dmesg`." : nil)
  }
}

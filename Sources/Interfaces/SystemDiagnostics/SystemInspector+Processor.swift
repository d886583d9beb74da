// SystemInspector+Processor.swift: CPUs, swap, power, virtual machines. SPDX-License-Identifier: MIT

extension SystemInspector {
  private static let processors = "/sys/devices/system/cpu"

  /// The directories of the CPUs.
  private var processorDirectories: [String] {
    files.names(in: Self.processors).filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
      .map { "\(Self.processors)/\($0)" }
  }

  /// Checks whether the CPUs keep their clock frequency.
  func frequencyScaling() -> SystemCheck {
    let subject = CheckDescription(
      id: "governor", title: "Processor speed",
      reason: "A CPU that lowers its clock between periods can miss the next one.")
    let governors = processorDirectories.compactMap { files.text("\($0)/cpufreq/scaling_governor") }
    guard !governors.isEmpty else {
      return subject.result(.ok, "The CPU frequency is not scaled.")
    }
    let slow = Set(governors).subtracting(["performance", "userspace"]).sorted()
    guard !slow.isEmpty else {
      return subject.result(.ok, "The governor is \(governors[0])\(turbo).")
    }
    return subject.result(
      .warning, "The governor is \(slow.enumeration)\(turbo).",
      commands: [
        "echo performance | sudo tee \(Self.processors)/cpu*/cpufreq/scaling_governor"
      ], advice: "This lasts until the next boot.")
  }

  private var turbo: String {
    if let off = files.number("\(Self.processors)/intel_pstate/no_turbo") {
      return off == 1 ? ", turbo is off" : ", turbo is on"
    }
    guard let boost = files.number("\(Self.processors)/cpufreq/boost") else { return "" }
    return boost == 1 ? ", turbo is on" : ", turbo is off"
  }

  /// Checks the wake-up time of the CPUs.
  func idleStates() -> SystemCheck {
    let subject = CheckDescription(
      id: "idle", title: "Idle states",
      reason: "The wake-up time of the CPU reduces the time for each period.")
    let deepest = processorDirectories.flatMap { directory in
      files.names(in: "\(directory)/cpuidle").filter { $0.hasPrefix("state") }.compactMap {
        state -> (microseconds: Int, name: String)? in
        let path = "\(directory)/cpuidle/\(state)"
        guard files.number("\(path)/disable") != 1, let latency = files.number("\(path)/latency")
        else { return nil }
        return (latency, files.text("\(path)/name") ?? state)
      }
    }.max { $0.microseconds < $1.microseconds }
    guard let deepest else {
      return subject.result(.ok, "The kernel uses no idle states.")
    }
    let found = "The deepest, \(deepest.name), takes \(deepest.microseconds) \u{b5}s to leave."
    guard deepest.microseconds > Self.acceptableLatencyMicroseconds else {
      return subject.result(.ok, found)
    }
    return subject.result(
      .warning, found, commands: ["sudo cpupower idle-set --disable-by-latency 100"],
      advice: "cpupower is in the package linux-cpupower. The change lasts until the next boot.")
  }

  /// About a tenth of a period of 64 frames at 48 kHz.
  private static let acceptableLatencyMicroseconds = 150

  /// Checks whether heat throttles the CPUs.
  func throttling() -> SystemCheck {
    let subject = CheckDescription(
      id: "heat", title: "Heat",
      reason: "A hot CPU is throttled.")
    let advice = "Improve the airflow or use a larger heat sink."
    let counts = processorDirectories.compactMap {
      files.number("\($0)/thermal_throttle/package_throttle_count")
    }
    let temperatures = files.names(in: "/sys/class/thermal")
      .filter { $0.hasPrefix("thermal_zone") }
      .compactMap { files.number("/sys/class/thermal/\($0)/temp") }
    let hottest = temperatures.max().map { "\($0 / 1_000) \u{b0}C" }
    if let hottest, let millidegrees = temperatures.max(), millidegrees >= 80_000 {
      return subject.result(.warning, "The CPU is at \(hottest) now.", advice: advice)
    }
    if let count = counts.max(), count > 0 {
      return subject.result(
        .warning,
        "The CPU was throttled \(count == 1 ? "once" : "\(count) times") since boot.",
        advice: advice)
    }
    guard hottest != nil || !counts.isEmpty else {
      return subject.result(.unknown, "The system does not report a temperature.")
    }
    return subject.result(.ok, hottest.map { "\($0), never throttled." } ?? "Never throttled.")
  }

  /// Checks the number of CPUs and of isolated CPUs.
  func cores() -> SystemCheck {
    let subject = CheckDescription(
      id: "cores", title: "Processors",
      reason: "On a single CPU, all other programs delay the audio.")
    guard let text = files.text("\(Self.processors)/online"), case let count = Self.count(text),
      count > 0
    else { return subject.result(.unknown, "The kernel does not report the number of CPUs.") }
    guard count > 1 else {
      return subject.result(
        .warning, "One CPU.", advice: "Stop unneeded programs and services.")
    }
    let isolated = files.text("\(Self.processors)/isolated") ?? ""
    return subject.result(
      .ok, "There are \(count)\(isolated.isEmpty ? "" : "; \(isolated) isolated").")
  }

  /// Returns how many numbers a list such as `0-3,6` contains.
  private static func count(_ list: String) -> Int {
    list.split(separator: ",").reduce(0) { sum, range in
      let ends = range.split(separator: "-").compactMap { Int($0.trimmed) }
      guard let first = ends.first, let last = ends.last, last >= first else { return sum }
      return sum + last - first + 1
    }
  }

  /// Checks whether memory is swapped to a disk.
  func swap() -> SystemCheck {
    let subject = CheckDescription(
      id: "swap", title: "Swap", reason: "Swapped memory returns from disk too late.")
    let areas = files.lines("/proc/swaps").dropFirst().compactMap { $0.fields.first }
    guard !areas.isEmpty else { return subject.result(.ok, "There is none.") }
    let swappiness = files.number("/proc/sys/vm/swappiness") ?? 60
    if facts.memoryError == 0 {
      return subject.result(.ok, "\(areas.enumeration); the memory of outboard is locked.")
    }
    // Compressed memory is not a disk.
    if areas.allSatisfy({ $0.contains("zram") }) {
      return subject.result(.ok, "Only in memory (\(areas.enumeration)).")
    }
    guard swappiness > 10 else {
      return subject.result(.ok, "\(areas.enumeration), with a swappiness of \(swappiness).")
    }
    return subject.result(
      .warning,
      "\(areas.enumeration), with a swappiness of \(swappiness), and the memory cannot be locked.",
      commands: [
        "echo vm.swappiness=10 | sudo tee /etc/sysctl.d/90-audio.conf", "sudo sysctl --system",
      ])
  }
}

extension SystemInspector {
  /// Checks the power supply of a Raspberry Pi; nil on other computers.
  func boardPower() -> SystemCheck? {
    let subject = CheckDescription(
      id: "power", title: "Power supply",
      reason: "Low voltage slows the CPU down and disconnects USB cards.")
    let model = files.text("/proc/device-tree/model") ?? ""
    guard model.hasPrefix("Raspberry Pi") else { return nil }
    let advice = "Use the official power supply with a short cable."
    let alarm = files.names(in: "/sys/class/hwmon").contains { name in
      files.text("/sys/class/hwmon/\(name)/name") == "rpi_volt"
        && files.number("/sys/class/hwmon/\(name)/in0_lcrit_alarm") == 1
    }
    let flags = files.text("/sys/devices/platform/soc/soc:firmware/get_throttled")
      .flatMap { Int($0.hasPrefix("0x") ? String($0.dropFirst(2)) : $0, radix: 16) }
    // The low half is the current state, the high half since boot: undervoltage, capped, throttled, hot.
    guard let flags = flags ?? (alarm ? 1 : nil) else {
      return subject.result(.unknown, "\(model) does not report its voltage.")
    }
    if flags & 0b0001 != 0 || alarm {
      return subject.result(.error, "Undervoltage on this \(model) now.", advice: advice)
    }
    if flags & 0b1110 != 0 {
      return subject.result(.warning, "This \(model) is throttled now.", advice: advice)
    }
    if flags >> 16 & 0b0001 != 0 {
      return subject.result(
        .warning, "Undervoltage on this \(model) since the start.", advice: advice)
    }
    if flags >> 16 & 0b1110 != 0 {
      return subject.result(
        .warning, "This \(model) was throttled since the start.", advice: "Improve the cooling.")
    }
    return subject.result(.ok, "\(model), no undervoltage.")
  }

  /// Checks for a virtual machine.
  func virtualisation() -> SystemCheck {
    let subject = CheckDescription(
      id: "virtual", title: "Virtual machine",
      reason: "The hypervisor can delay a virtual machine at any time.")
    let container = isContainer ? " In a container." : ""
    guard let name = hypervisor else {
      return subject.result(
        .ok, isContainer ? "None. This is a container, which adds no delay." : "None.")
    }
    return subject.result(
      .warning, "\(name).\(container)",
      advice: "For short periods, use a physical machine or reserve CPUs on the hypervisor.")
  }

  private var hypervisor: String? {
    if (files.text("/proc/sys/kernel/osrelease") ?? "").lowercased().contains("microsoft") {
      return "WSL"
    }
    let maker = files.text("/sys/class/dmi/id/sys_vendor") ?? ""
    let product = files.text("/sys/class/dmi/id/product_name") ?? ""
    let known = ["QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Bochs", "Parallels"]
    if let name = known.first(where: { maker.contains($0) || product.contains($0) }) {
      return name == "innotek" ? "VirtualBox" : name
    }
    if let type = files.text("/sys/hypervisor/type") { return type }
    if files.exists("/proc/device-tree/hypervisor") { return "A hypervisor" }
    let flags = files.lines("/proc/cpuinfo").first { $0.hasPrefix("flags") }
    return flags?.fields.contains("hypervisor") == true ? "A hypervisor" : nil
  }

  /// Whether the process runs in a container.
  var isContainer: Bool {
    let marks = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
    return marks.contains(where: files.exists)
  }
}

// SystemInspector+Board.swift: small boards' power, virtual machines, containers. SPDX-License-Identifier: MIT

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

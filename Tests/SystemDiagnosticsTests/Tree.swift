// Tree.swift: the files of a simulated machine. SPDX-License-Identifier: MIT

import Foundation
import SystemDiagnostics

/// A directory with a /proc, a /sys and so on, removed with the value.
final class Tree {
  private let root = FileManager.default.temporaryDirectory
    .appending(path: "outboard-machine-\(UUID().uuidString)")
  /// The permissions of the process on that machine.
  var facts = ProcessPrivileges()
  /// The programs that use the cards, by card number.
  var holders: [Int: [String]] = [:]

  /// A machine without any problem, with a card on a separate bus.
  init() throws {
    facts.userName = "ada"
    try write("/proc/version", "Linux version 6.12.0 (gcc 14) #1 SMP PREEMPT_RT Debian 6.12")
    try write("/proc/sys/kernel/osrelease", "6.12.0-rt-amd64")
    try write("/proc/cmdline", "root=/dev/sda1 quiet")
    try write("/proc/sys/kernel/sched_rt_runtime_us", "950000")
    try write("/proc/sys/kernel/sched_rt_period_us", "1000000")
    try write("/proc/swaps", "Filename Type Size Used Priority")
    try write("/proc/sys/vm/swappiness", "60")
    try write("/proc/interrupts", "           CPU0\n 16:  1 IO-APIC 16-fasteoi snd_hda_intel:card0")
    try write("/proc/cpuinfo", "flags\t\t: fpu sse2")
    try write("/etc/group", "root:x:0:\naudio:x:29:ada")
    try write(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc")
    try write("/sys/devices/system/cpu/online", "0-3")
    try write("/sys/devices/system/cpu/isolated", "")
    try write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
    try write("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2")
    try write("/sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C1")
    try write("/sys/class/thermal/thermal_zone0/temp", "45000")
    try write(
      "/proc/asound/cards",
      " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n"
        + "                      HDA Intel PCH at 0xf7e20000 irq 16")
    try write("/dev/snd/pcmC0D0p", "")
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// Writes a file, and creates its directories.
  func write(_ path: String, _ text: String) throws {
    let url = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: url)
  }

  /// Removes a file or a directory.
  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: root.appending(path: path))
  }

  /// Creates a link with a relative target, as the kernel does.
  func link(_ path: String, to target: String) throws {
    let url = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: url.path, withDestinationPath: target)
  }

  /// Adds a process.
  func addProcess(_ id: Int, _ name: String, priority: Int = 0) throws {
    let policy = priority > 0 ? 1 : 0
    try write(
      "/proc/\(id)/stat",
      "\(id) (\(name)) S 1 1 1 0 -1 4194304 102 0 0 0 0 0 0 0 20 0 1 0 1265016 3133440 394"
        + " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 \(priority) \(policy) 0 0 0")
  }

  /// Connects card 1 to USB, through a hub if one is given.
  func addUSBCard(hub: (speed: String, neighbours: [String: String])? = nil, speed: String = "480")
    throws
  {
    try write(
      "/proc/asound/cards",
      " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n"
        + "                      HDA Intel PCH at 0xf7e20000 irq 16\n"
        + " 1 [USB            ]: USB-Audio - Scarlett 2i2 USB\n"
        + "                      Focusrite Scarlett 2i2 USB at usb-0000:00:14.0-1.2, high speed")
    let bus = "/sys/devices/pci0/usb1"
    try write("\(bus)/devpath", "0")
    try write("\(bus)/bDeviceClass", "09")
    try write("\(bus)/speed", "480")
    var device = "\(bus)/1-2"
    if let hub {
      device = "\(bus)/1-1/1-1.2"
      try write("\(bus)/1-1/devpath", "1")
      try write("\(bus)/1-1/bDeviceClass", "09")
      try write("\(bus)/1-1/speed", hub.speed)
      for (name, speed) in hub.neighbours { try write("\(bus)/1-1/\(name)/speed", speed) }
    }
    let name = device.split(separator: "/").last ?? ""
    try write("\(device)/idVendor", "1235")
    try write("\(device)/busnum", "1")
    try write("\(device)/speed", speed)
    try write("\(device)/power/control", "on")
    try write("\(device)/\(name):1.0/sound/card1/id", "USB")
    try link("\(device)/\(name):1.0/sound/card1/device", to: "../../../\(name):1.0")
    let below = device.dropFirst("/sys/".count)
    try link("/sys/class/sound/card1", to: "../../\(below)/\(name):1.0/sound/card1")
  }

  /// Returns the check of a subject; nil if it does not apply to that machine.
  func check(_ id: String) -> SystemCheck? { checks().first { $0.id == id } }

  /// Everything that is found.
  func checks() -> [SystemCheck] {
    SystemInspector(files: SystemFiles(root: root.path), facts: facts) { self.holders[$0] ?? [] }
      .checks()
  }
}

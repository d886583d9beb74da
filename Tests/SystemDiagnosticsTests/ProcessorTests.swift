// ProcessorTests.swift: speed, sleep, heat, number, swap, power, virtual machines. SPDX-License-Identifier: MIT

import Glibc
import SystemDiagnostics
import Testing

@Suite struct `The processor` {
  private let tree: Tree
  private let directory = "/sys/devices/system/cpu"

  init() throws { tree = try Tree() }

  @Test func `with a changing clock causes a warning`() throws {
    try tree.write("\(directory)/cpu1/cpufreq/scaling_governor", "schedutil")
    try tree.write("\(directory)/intel_pstate/no_turbo", "0")
    let check = try #require(tree.check("governor"))
    #expect(check.state == .warning)
    #expect(check.found == "The governor is schedutil, turbo is on.")
    #expect(
      check.commands == ["echo performance | sudo tee \(directory)/cpu*/cpufreq/scaling_governor"])
  }

  @Test func `with deep sleep states causes a warning, unless they are disabled`() throws {
    try tree.write("\(directory)/cpu0/cpuidle/state3/latency", "890")
    try tree.write("\(directory)/cpu0/cpuidle/state3/name", "C10")
    #expect(
      try #require(tree.check("idle")).found == "The deepest, C10, takes 890 \u{b5}s to leave.")
    #expect(try #require(tree.check("idle")).state == .warning)
    try tree.write("\(directory)/cpu0/cpuidle/state3/disable", "1")
    #expect(try #require(tree.check("idle")).found == "The deepest, C1, takes 2 \u{b5}s to leave.")
    #expect(try #require(tree.check("idle")).state == .ok)
  }

  @Test func `that is or was too hot causes a warning`() throws {
    #expect(try #require(tree.check("heat")).found == "45 \u{b0}C, never throttled.")
    try tree.write("\(directory)/cpu0/thermal_throttle/package_throttle_count", "12")
    #expect(
      try #require(tree.check("heat")).found == "The CPU was throttled 12 times since boot.")
    try tree.write("/sys/class/thermal/thermal_zone1/temp", "91000")
    #expect(try #require(tree.check("heat")).found == "The CPU is at 91 \u{b0}C now.")
  }

  @Test(arguments: [
    ("0", "", SystemCheck.State.warning, "One CPU."),
    ("0-3", "3", .ok, "There are 4; 3 isolated."), ("0,2-3", "", .ok, "There are 3."),
  ])
  func `is counted`(online: String, isolated: String, state: SystemCheck.State, found: String)
    throws
  {
    try tree.write("\(directory)/online", online)
    try tree.write("\(directory)/isolated", isolated)
    let check = try #require(tree.check("cores"))
    #expect(check.state == state)
    #expect(check.found == found)
  }

  @Test func `needs locked memory if swap is in use`() throws {
    let header = "Filename Type Size Used Priority\n"
    try tree.write("/proc/swaps", header + "/dev/sda2 partition 1000 0 -2")
    #expect(
      try #require(tree.check("swap")).found
        == "/dev/sda2; the memory of outboard is locked.")
    tree.facts.memoryError = ENOMEM
    let check = try #require(tree.check("swap"))
    #expect(check.state == .warning)
    #expect(
      check.found == "/dev/sda2, with a swappiness of 60, and the memory cannot be locked.")
    try tree.write("/proc/sys/vm/swappiness", "10")
    #expect(try #require(tree.check("swap")).state == .ok)
    try tree.write("/proc/sys/vm/swappiness", "100")
    try tree.write("/proc/swaps", header + "/dev/zram0 partition 1000 0 100")
    #expect(try #require(tree.check("swap")).found == "Only in memory (/dev/zram0).")
  }
}

@Suite struct `The machine around the processor` {
  private let tree: Tree

  init() throws { tree = try Tree() }

  @Test(arguments: [
    ("0x0", SystemCheck.State.ok, "Raspberry Pi 4 Model B, no undervoltage."),
    ("50000", .warning, "Undervoltage on this Raspberry Pi 4 Model B since the start."),
    ("0x50005", .error, "Undervoltage on this Raspberry Pi 4 Model B now."),
    ("e0008", .warning, "This Raspberry Pi 4 Model B is throttled now."),
    ("e0000", .warning, "This Raspberry Pi 4 Model B was throttled since the start."),
  ])
  func `may be short of power`(flags: String, state: SystemCheck.State, found: String) throws {
    try tree.write("/proc/device-tree/model", "Raspberry Pi 4 Model B\0")
    try tree.write("/sys/devices/platform/soc/soc:firmware/get_throttled", flags)
    let check = try #require(tree.check("power"))
    #expect(check.state == state)
    #expect(check.found == found)
  }

  @Test func `without firmware data is judged by its sensor's alarm`() throws {
    try tree.write("/proc/device-tree/model", "Raspberry Pi 5 Model B\0")
    #expect(try #require(tree.check("power")).state == .unknown)
    try tree.write("/sys/class/hwmon/hwmon1/name", "rpi_volt")
    try tree.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1")
    #expect(try #require(tree.check("power")).state == .error)
  }

  @Test func `needs no voltage check on a machine other than a small board`() {
    #expect(tree.check("power") == nil)
  }

  @Test func `may be a virtual one`() throws {
    try tree.write("/proc/cpuinfo", "flags\t\t: fpu hypervisor sse2")
    #expect(try #require(tree.check("virtual")).found == "A hypervisor.")
    try tree.write("/sys/class/dmi/id/sys_vendor", "QEMU")
    let check = try #require(tree.check("virtual"))
    #expect(check.found == "QEMU.")
    #expect(check.state == .warning)
    try tree.write("/proc/sys/kernel/osrelease", "5.15.0-microsoft-standard-WSL2")
    #expect(try #require(tree.check("virtual")).found == "WSL.")
  }

  @Test func `may be a container`() throws {
    try tree.write("/run/systemd/container", "lxc")
    let check = try #require(tree.check("virtual"))
    #expect(check.state == .ok)
    #expect(check.found == "None. This is a container, which adds no delay.")
  }
}

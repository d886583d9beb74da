// KernelTests.swift: preemption, interrupts, timers. SPDX-License-Identifier: MIT

import SystemDiagnostics
import Testing

@Suite struct `The kernel` {
  private let tree: Tree

  init() throws { tree = try Tree() }

  @Test(arguments: [
    ("#1 SMP PREEMPT_RT Debian", "", "", "PREEMPT_RT: the kernel is a real-time kernel."),
    ("#1 SMP PREEMPT Debian", "", "", "PREEMPT: nearly all kernel code can be interrupted."),
    (
      "#1 SMP PREEMPT_DYNAMIC Debian", "quiet preempt=full", "",
      "PREEMPT: nearly all kernel code"
        + " can be interrupted."
    ),
    (
      "#1 SMP PREEMPT_DYNAMIC @0", "quiet", "CONFIG_PREEMPT=y\n",
      "PREEMPT: nearly all kernel"
        + " code can be interrupted."
    ),
  ])
  func `may be preemptible in several ways`(
    version: String, options: String, configuration: String, found: String
  )
    throws
  {
    try tree.write("/proc/version", "Linux version 6.12.0 \(version)")
    try tree.write("/proc/cmdline", options)
    try tree.write("/boot/config-6.12.0-rt-amd64", configuration)
    let check = try #require(tree.check("preemption"))
    #expect(check.state == .ok)
    #expect(check.found == found)
  }

  @Test func `with a setting that root can read reports the current one`() throws {
    try tree.write("/proc/version", "Linux version 6.12.0 #1 SMP PREEMPT_DYNAMIC")
    try tree.write("/proc/cmdline", "preempt=full")
    try tree.write("/sys/kernel/debug/sched/preempt", "none (voluntary) full lazy")
    try tree.write("/etc/default/grub", "GRUB_CMDLINE_LINUX=\"\"")
    let check = try #require(tree.check("preemption"))
    #expect(check.state == .warning)
    #expect(check.found == "PREEMPT_VOLUNTARY: only some kernel code can be interrupted.")
    #expect(
      check.commands == [
        "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&preempt=full /' /etc/default/grub",
        "sudo update-grub",
      ])
  }

  @Test func `on a small board is set in the one line of the boot options`() throws {
    try tree.write("/proc/version", "Linux version 6.6.0 #1 SMP PREEMPT_DYNAMIC")
    try tree.write("/boot/config-6.12.0-rt-amd64", "CONFIG_PREEMPT_VOLUNTARY=y")
    try tree.write("/boot/firmware/cmdline.txt", "root=/dev/mmcblk0p2")
    #expect(
      try #require(tree.check("preemption")).commands
        == ["sudo sed -i '1s/$/ preempt=full/' /boot/firmware/cmdline.txt"])
  }

  @Test func `without preemption needs another one`() throws {
    try tree.write("/proc/version", "Linux version 6.1.0 #1 SMP Debian")
    try tree.write("/proc/sys/kernel/osrelease", "6.1.0-amd64")
    try tree.write("/boot/config-6.1.0-amd64", "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_NONE=y")
    try tree.write("/etc/debian_version", "13")
    let check = try #require(tree.check("preemption"))
    #expect(check.found == "PREEMPT_NONE: only some kernel code can be interrupted.")
    #expect(check.commands == ["sudo apt install linux-image-rt-amd64"])
  }

  @Test func `without threaded interrupts can be configured to use them`() throws {
    try tree.write("/proc/version", "Linux version 6.1.0 #1 SMP PREEMPT Debian")
    let check = try #require(tree.check("interrupts"))
    #expect(check.state == .warning)
    #expect(
      check.advice == "Add threadirqs to the kernel command line and reboot.")
    try tree.write("/proc/cmdline", "quiet threadirqs")
    #expect(try #require(tree.check("interrupts")).state == .ok)
  }

  @Test func `starts the card's interrupt thread with the same priority as the others`() throws {
    try tree.addProcess(101, "irq/16-snd_hda_i", priority: 50)
    try tree.addProcess(102, "irq/17-ahci", priority: 50)
    try tree.addProcess(103, "irq/18-xhci_hcd", priority: 50)
    let check = try #require(tree.check("interrupts"))
    #expect(
      check.found == "irq/16-snd_hda_i runs at 50, like the interrupt threads of all other"
        + " devices.")
    #expect(check.commands == ["sudo chrt --fifo --pid 85 101"])
  }

  @Test func `with a higher priority for its card's interrupt thread is good`() throws {
    try tree.addProcess(101, "irq/16-snd_hda_i", priority: 90)
    #expect(try #require(tree.check("interrupts")).state == .ok)
  }

  @Test func `serves a USB card through the controller's thread`() throws {
    try tree.addUSBCard()
    try tree.addProcess(103, "irq/18-xhci_hcd", priority: 50)
    #expect(
      try #require(tree.check("interrupts")).commands == ["sudo chrt --fifo --pid 85 103"])
  }

  @Test func `may use a card's interrupt for other devices as well`() throws {
    let header = "           CPU0       CPU1\n"
    try tree.write(
      "/proc/interrupts",
      header + " 16:  1  2  IO-APIC  16-fasteoi   i801_smbus, snd_hda_intel:card0")
    let check = try #require(tree.check("sharing"))
    #expect(check.state == .warning)
    #expect(check.found == "i801_smbus and snd_hda_intel:card0 share interrupt 16.")
    try tree.write(
      "/proc/interrupts", header + " 16:  1  2  IO-APIC  16-fasteoi   i801_smbus, ehci_hcd:usb1")
    #expect(try #require(tree.check("sharing")).state == .ok)
    try tree.addUSBCard()
    #expect(
      try #require(tree.check("sharing")).found
        == "i801_smbus and ehci_hcd:usb1 share interrupt 16.")
  }

  @Test(arguments: [
    (
      "-1", SystemCheck.State.ok,
      "No limit. A plugin in an endless loop would freeze the system."
    ),
    ("950000", .ok, "95 % of a second."), ("500000", .warning, "50 % of a second."),
  ])
  func `limits real-time threads`(runtime: String, state: SystemCheck.State, found: String) throws {
    try tree.write("/proc/sys/kernel/sched_rt_runtime_us", runtime)
    let check = try #require(tree.check("budget"))
    #expect(check.state == state)
    #expect(check.found == found)
    #expect(
      check.commands == (state == .ok ? [] : ["sudo sysctl kernel.sched_rt_runtime_us=950000"]))
  }

  @Test func `without high-resolution timers or a fast clock causes a warning`() throws {
    tree.facts.timerResolutionNanoseconds = 4_000_000
    let directory = "/sys/devices/system/clocksource/clocksource0"
    try tree.write("\(directory)/current_clocksource", "hpet")
    try tree.write("\(directory)/available_clocksource", "tsc hpet acpi_pm")
    #expect(
      try #require(tree.check("timers")).found
        == "Timers are exact to 4000 \u{b5}s, the kernel's tick.")
    #expect(
      try #require(tree.check("clock")).commands
        == ["echo tsc | sudo tee \(directory)/current_clocksource"])
  }
}

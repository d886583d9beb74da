// RightsTests.swift: real-time scheduling and locked memory. SPDX-License-Identifier: MIT

import Glibc
import SystemDiagnostics
import Testing

@Suite struct `Rights` {
  private let tree: Tree

  init() throws {
    tree = try Tree()
    tree.facts.schedulingError = EPERM
    tree.facts.memoryError = ENOMEM
    tree.facts.lockedMemoryLimit = 8 << 20
  }

  @Test func `that are missing are granted to the group, with the user in it`() throws {
    let check = try #require(tree.check("realtime"))
    #expect(check.state == .error)
    #expect(check.found == "SCHED_FIFO at priority 70 was denied; the limit is 0.")
    #expect(
      check.commands == [
        "echo '@audio - rtprio 95' | sudo tee -a /etc/security/limits.d/audio.conf",
        "sudo usermod --append --groups audio ada",
      ])
    #expect(check.advice == "Then log in again. A service needs LimitRTPRIO=95 in its unit.")
  }

  @Test func `granted to the group need the user in it`() throws {
    try tree.write(
      "/etc/security/limits.d/audio.conf", "@audio   -  rtprio     95\n@audio - memlock unlimited")
    #expect(
      try #require(tree.check("realtime")).commands == ["sudo usermod --append --groups audio ada"])
  }

  @Test func `granted to both need a new login`() throws {
    try tree.write("/etc/security/limits.d/audio.conf", "@audio - rtprio 95")
    tree.facts.groups = [1_000, 29]
    let check = try #require(tree.check("realtime"))
    #expect(check.commands == [])
    #expect(check.advice?.hasPrefix("Then log in again.") == true)
  }

  @Test(arguments: [
    "# @audio - rtprio 95", "@audio soft rtprio 95", "@audio - rtprio 0", "@video - rtprio 95",
  ])
  func `are not granted by unrelated lines`(_ line: String) throws {
    try tree.write("/etc/security/limits.conf", line)
    tree.facts.groups = [29]
    #expect(try #require(tree.check("realtime")).commands.count == 1)
  }

  @Test func `in a disabled file are enabled again`() throws {
    try tree.write("/etc/security/limits.d/audio.conf.disabled", "@audio - rtprio 95")
    tree.facts.groups = [29]
    #expect(
      try #require(tree.check("realtime")).commands == [
        "sudo mv /etc/security/limits.d/audio.conf.disabled /etc/security/limits.d/audio.conf"
      ])
  }

  @Test func `in a container are requested from its starter`() throws {
    try tree.write("/.dockerenv", "")
    tree.facts.isRoot = true
    let check = try #require(tree.check("realtime"))
    #expect(check.commands == [])
    #expect(check.advice == "In a container: start it with --cap-add=SYS_NICE --ulimit rtprio=95.")
  }

  @Test func `may be missing because a control group has no budget`() throws {
    try tree.write("/proc/self/cgroup", "8:cpu,cpuacct:/user.slice\n0::/")
    try tree.write("/sys/fs/cgroup/cpu/user.slice/cpu.rt_runtime_us", "0")
    #expect(
      try #require(tree.check("realtime")).commands == [
        "echo 950000 | sudo tee /sys/fs/cgroup/cpu/user.slice/cpu.rt_runtime_us"
      ])
  }

  @Test func `for real-time priority are missing if only rtkit runs`() throws {
    try tree.addProcess(80, "rtkit-daemon")
    let check = try #require(tree.check("realtime"))
    #expect(check.state == .error)
    #expect(
      check.found.hasSuffix(" rtkit is running, but its maximum priority is too low."))
  }

  @Test func `that are missing to lock memory cause a warning`() throws {
    let check = try #require(tree.check("memory"))
    #expect(check.state == .warning)
    #expect(check.found == "Locking the memory was denied; the limit is 8 MB.")
    #expect(
      check.commands.first
        == "echo '@audio - memlock unlimited' | sudo tee -a /etc/security/limits.d/audio.conf")
  }

  @Test func `to lock some memory are not enough, unless the limit does not apply`() throws {
    tree.facts.memoryError = 0
    #expect(
      try #require(tree.check("memory")).found
        == "Memory can be locked, but only 8 MB; large plugins need more.")
    try tree.write("/proc/self/status", "Name:\toutboard\nCapEff:\t0000000000004000")
    #expect(try #require(tree.check("memory")).state == .ok)
  }
}

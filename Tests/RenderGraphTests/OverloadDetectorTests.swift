// OverloadDetectorTests.swift: the node that causes late blocks. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

@Suite struct OverloadDetectorTests {
  private func program() throws -> (GuardedProgram, [SumNode]) {
    let nodes = (0 ..< 3).map { _ in SumNode(inputs: 1, outputs: 1) }
    return (try GuardedProgram(chain(nodes)), nodes)
  }

  // From one and a half periods on three blocks are enough; slightly late blocks need more.
  @Test(arguments: [(1.5, 4), (3, 4), (1.16, 6), (1.06, 11)])
  func `a node that is too slow several times in a row is found`(
    share: Double, blocks: Int
  ) throws {
    let (early, _) = try program()
    _ = early.render(blocks - 1, share: { _ in share }, node: 1)
    #expect(early.takeEndedFaults().isEmpty)
    let (program, nodes) = try program()
    _ = program.render(blocks, share: { _ in share }, node: 1)
    // It is reported once it is bypassed, and its replacement fades in from there.
    #expect(program.takeFaults().isEmpty)
    let found = program.takeEndedFaults()
    #expect(found.map(\.fault) == [.overload] && found.first?.node === nodes[1])
    #expect(abs(Double(found.first?.measure ?? 0) - share * 0.95) < 0.01)
    _ = program.render(100, share: { _ in 0.5 })
    #expect(program.takeFaults().isEmpty)
  }

  @Test func `occasional late blocks are attributed to no node`() throws {
    let (program, _) = try program()
    for pause in 1 ... 8 {
      _ = program.render(60 * (pause + 2), share: { $0 % (pause + 2) < 2 ? 4 : 0.9 })
    }
    #expect(program.takeEndedFaults().isEmpty)
  }

  @Test func `a busy graph that meets its deadlines is not reported`() throws {
    let (program, _) = try program()
    _ = program.render(5_000, share: { _ in 0.94 })
    #expect(program.takeEndedFaults().isEmpty)
  }

  @Test func `an overload of all nodes together is attributed to no single node`() throws {
    let (program, _) = try program()
    _ = program.render(500, share: { _ in 1.4 }, nodeLoad: 0.45)
    // Without this node the others would still be late.
    _ = program.render(500, share: { _ in 2.4 }, nodeLoad: 0.55)
    #expect(program.takeEndedFaults().isEmpty)
  }

  @Test func `a preempted thread does not count against its node`() throws {
    let (program, nodes) = try program()
    _ = program.render(500, share: { _ in 3 }, isDisturbed: true)
    #expect(program.takeEndedFaults().isEmpty)
    // Nor does it count in favour of its node.
    for block in 0 ..< 8 {
      _ = program.render(1, share: { _ in 3 }, isDisturbed: block % 2 == 0)
    }
    #expect(program.takeEndedFaults().map { $0.node === nodes[0] } == [true])
  }

  @Test func `a node that sleeps is found, although its thread leaves the processor`() throws {
    let sleeper = SleepyNode()
    let program = try GuardedProgram(
      chain([SumNode(inputs: 1, outputs: 1), sleeper, SumNode(inputs: 1, outputs: 1)]))
    sleeper.sleep(microseconds: 2_000)
    program.render(8)
    sleeper.sleep(microseconds: 0)
    let found = program.takeEndedFaults()
    #expect(found.map(\.fault) == [.overload] && found.first?.node === sleeper)
  }

  @Test func `a thread counts its voluntary switches`() {
    let before = crealtime_voluntary_switches()
    usleep(1)
    #expect(crealtime_voluntary_switches() > before)
  }

  @Test func `late blocks of two nodes in turn are attributed to neither`() throws {
    let (program, _) = try program()
    for block in 0 ..< 400 { _ = program.render(1, share: { _ in 2 }, node: block / 2 % 2) }
    #expect(program.takeEndedFaults().isEmpty)
  }

  @Test func `a thread counts its preemptions`() {
    guard crealtime_detects_preemption() else { return }
    // signal() instead of sigaction(), whose structure the compiler here takes for a part of Dispatch.
    let before = signal(SIGURG) { _ in }
    // Threads of a pool may have it blocked.
    var mask = sigset_t()
    var maskBefore = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGURG)
    pthread_sigmask(SIG_UNBLOCK, &mask, &maskBefore)
    defer { pthread_sigmask(SIG_SETMASK, &maskBefore, nil) }
    defer { signal(SIGURG, before) }
    crealtime_clear_preempted()
    raise(SIGURG)
    #expect(crealtime_was_preempted())
    // A machine may interrupt it, but not every time.
    let isUndisturbed = (0 ..< 1_000).contains { _ in
      crealtime_clear_preempted()
      return !crealtime_was_preempted()
    }
    #expect(isUndisturbed)
  }
}

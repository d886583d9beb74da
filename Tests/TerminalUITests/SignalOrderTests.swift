// SignalOrderTests.swift: the chain along the signal. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import TerminalUI

@Suite struct SignalOrderTests {
  private func state(_ nodes: [String], _ connections: [String], nested: [String] = [])
    -> SessionState
  {
    SessionState(
      rig: "r", nodes: nodes.map { .init(name: $0, plugin: "p") },
      nestedRigs: nested.map { .init(name: $0, bypass: false, wet: 1) },
      connections: connections.map { .init(name: $0, gain: 0) })
  }

  @Test func `slots follow the connections, not the file`() {
    let order = SignalOrder(state(["c", "a", "b"], ["in -> a", "a -> b", "b -> c", "c -> out"]))
    #expect(order.slots.map(\.name) == ["in", "a", "b", "c", "out"])
  }

  @Test func `branches, loops and sources end`() {
    let order = SignalOrder(
      state(
        ["a", "b", "d", "s"],
        ["in -> a", "a -> b", "b -> d", "d -> b", "a -> out", "d -> out", "s -> d"]))
    #expect(Set(order.slots.map(\.name)) == ["in", "a", "b", "d", "s", "out"])
    #expect(order.slots.first?.name == "in")
    #expect(order.slots.last?.name == "out")
  }

  @Test func `nested rigs have their nodes below them`() {
    let order = SignalOrder(
      state(
        ["strip/eq", "strip/comp", "hall"], ["in -> strip", "strip -> hall", "hall -> out"],
        nested: ["strip"]))
    #expect(order.slots.map(\.title) == ["in", "strip", "eq", "comp", "hall", "out"])
    #expect(
      order.slots.map(\.kind) == [.input, .nestedRig, .innerNode, .innerNode, .node, .output])
  }

  @Test func `names with arrows and channels are found`() {
    let order = SignalOrder(
      state(["a -> b", "desk"], ["in -> a -> b", "a -> b -> desk:3", "desk -> out"]))
    #expect(order.links.map(\.from) == ["in", "a -> b", "desk"])
    #expect(order.links.map(\.to) == ["a -> b", "desk", "out"])
  }

  @Test func `a node moves past its neighbour, and not past an end`() {
    let order = SignalOrder(state(["a", "b"], ["in -> a", "a -> b", "b -> out"]))
    #expect(order.position(of: "a", movedBy: 1) == .after("b"))
    #expect(order.position(of: "b", movedBy: -1) == .before("a"))
    #expect(order.position(of: "b", movedBy: 1) == nil)
    #expect(order.position(of: "a", movedBy: -1) == nil)
  }
}

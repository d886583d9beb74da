// EventTests.swift: the encoding of events, replies and states for clients. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import TestRandom
import Testing

@Suite struct `An event` {
  @Test func `has a sample of each kind`() {
    #expect(Samples.events.map(\.kind) == Event.Kind.allCases)
    #expect(Set(Samples.changes.map(\.kind)) == Set(StateChange.Kind.allCases))
  }

  @Test(arguments: Samples.events)
  func `survives encoding to a line`(event: Event) {
    let message = EventMessage(seconds: 1.5, event)
    let line = JSONLine.data(message)
    #expect(!line.contains(UInt8(ascii: "\n")))
    #expect(JSONLine.read(EventMessage.self, line) == message)
    #expect(SharedEvent(message).line == line)
  }

  @Test func `about parameters has the line that Foundation's encoder writes`() {
    var random = Random(seed: 7)
    let special: [Float] = [
      0, -0.0, 1, -1, 0.1, 45, 1e7, 1e15, 16_777_216, 1e-7, .pi, .greatestFiniteMagnitude,
      .leastNonzeroMagnitude, .infinity,
    ]
    for number in 0 ..< 2_000 {
      let values = (0 ..< number % 4).map { _ in
        number < 200
          ? special[Int.random(in: 0 ..< special.count, using: &random)]
          : Float(bitPattern: UInt32.random(in: 0 ... .max, using: &random))
      }
      let changes = values.filter { !$0.isNaN }.map {
        StateChange.parameter(node: "Röhre \"1\"/\u{1}\\", symbol: "gain\t🎸", value: $0)
      }
      let message = EventMessage(
        seconds: [0, 12, 4.417, 86_400.001, 1e-3][number % 5],
        .changed(
          .init(
            revision: UInt64(number), source: .midi,
            client: number % 2 == 0 ? nil : ClientID(number), changes: changes)))
      #expect(SharedEvent(message).line == JSONLine.data(message))
    }
  }

  @Test func `may have keys that are unknown to a client`() {
    let line = Data(#"{"event": "rate", "seconds": 1, "sampleRateHz": 48000, "new": []}"#.utf8)
    #expect(JSONLine.read(EventMessage.self, line)?.event == .rate(.init(sampleRateHz: 48_000)))
  }

  @Test func `is replaced only by a newer one of the same kind about the same object`() {
    let kinds = Samples.events.filter { $0.replacementKey != nil }.map(\.kind)
    #expect(kinds == Event.Kind.allCases.filter(\.isReplaceable))
  }
}

@Suite struct `A reply` {
  @Test(arguments: Samples.replies)
  func `survives encoding to a line`(reply: Reply) {
    for id in [nil, .string("a"), .integer(7)] as [JSONValue?] {
      let message = ReplyMessage(reply, id: id)
      #expect(JSONLine.read(ReplyMessage.self, JSONLine.data(message)) == message)
    }
  }

  @Test func `is an empty object if it has no content`() {
    #expect(String(decoding: JSONLine.data(ReplyMessage(Reply())), as: UTF8.self) == "{}")
  }

  @Test func `has the facts of an error`() {
    let error = ErrorInfo(ProtocolError.missing(key: "file", command: "save"))
    #expect(error.status == 2 && error.kind == .usage && error.fields == ["key": "file"])
    struct Foreign: Error {}
    #expect(ErrorInfo(Foreign()).status == 2)
  }
}

@Suite struct `A state` {
  @Test func `is converted into another by the changes between them`() {
    var random = Random(seed: 4)
    var state = Samples.state
    for _ in 0 ..< 2_000 {
      let next = Self.changed(state, &random)
      let changes = state.changes(to: next)
      #expect((changes.isEmpty) == (state == next))
      var copy = state
      for change in changes { copy.apply(change) }
      #expect(copy == next)
      state = next
    }
  }

  @Test func `accepts changes only in their order`() {
    var snapshot = Snapshot(revision: 4, state: Samples.state)
    let change = StateChange.wet(node: "band", level: 0.5)
    func changed(_ revision: UInt64) -> Event.Changed {
      .init(revision: revision, source: .client, changes: [change])
    }
    let isEarlyTaken = snapshot.apply(changed(4))
    let isLateTaken = snapshot.apply(changed(6))
    #expect(!isEarlyTaken && !isLateTaken)
    #expect(snapshot == Snapshot(revision: 4, state: Samples.state))
    let isNextTaken = snapshot.apply(changed(5))
    #expect(isNextTaken)
    #expect(snapshot.revision == 5 && snapshot.state.nestedRigs[0].wet == 0.5)
  }

  private static func changed(_ state: SessionState, _ random: inout Random) -> SessionState {
    var next = state
    switch Int.random(in: 0 ..< 9, using: &random) {
    case 0: next.nodes[0].parameters[1].value = Float.random(in: 0 ... 4, using: &random)
    case 1: next.nodes[0].bypass.toggle()
    case 2: next.nodes[1].wet = Float.random(in: 0 ... 1, using: &random)
    case 3: next.nestedRigs[0].bypass.toggle()
    case 4: next.connections[0].gain = Bool.random(using: &random) ? nil : -3
    case 5: next.scenes[0].current.toggle()
    case 6: next.nodes[1].faulty.toggle()
    case 7: next.nodes[0].properties[0].value += "x"
    default:
      if next.nodes.count > 2 {
        next.nodes.removeLast()
      } else {
        next.nodes.append(.init(name: "new", plugin: "outboard.gain"))
      }
    }
    return next
  }
}

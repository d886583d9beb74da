// ConnectionSpecifierTests.swift: connections by both ends. SPDX-License-Identifier: MIT

import Testing

@testable import RigSchema

@Suite struct `The name of a connection` {
  private let connections: [(index: Int, connection: RigConnection)]

  init() throws {
    let rig = try RigReader.read(
      text: """
        outboard: 1
        nodes:
          voice: {plugin: outboard.gain}
          Hall: {plugin: outboard.reverb}
          hall: {plugin: outboard.reverb}
          desk: {builtin: mixer, channels: 8}
        connections:
          - in -> voice -> Hall
          - voice -> hall
          - Hall -> desk:3-4
          - hall:2,1 -> desk:5-6
          - hall -> desk:8,7,1-2
          - "hall:left out -> out"
        """, file: "names.yaml")
    connections = rig.connections.enumerated().map { ($0, $1) }
  }

  private func place(_ text: String) throws -> Int {
    try #require(ConnectionSpecifier(text)).index(among: connections).get()
  }

  @Test(arguments: [
    ("Hall -> desk:3-4", 3), ("Hall->desk:3,4", 3), ("HALL -> Desk:3-4", 3),
    ("hall:2,1->desk:5-6", 4),
    ("hall -> desk:8,7,1,2", 5), ("hall -> desk:8,7,1-2", 5), ("hall:left out -> out", 6),
    ("HALL:Left Out -> OUT", 6),
  ])
  func `keeps its channels as written, or maps them one to one`(text: String, place: Int) throws {
    #expect(try self.place(text) == place)
  }

  @Test func `is case-sensitive if nodes differ only in case`() throws {
    #expect(try place("voice -> Hall") == 1)
    #expect(try place("voice -> hall") == 2)
    let several = "several connections lead from voice to HALL. Specify the channels."
    #expect(throws: ConnectionSpecifier.Fault(message: several)) { try place("voice -> HALL") }
  }

  @Test func `is reported as written if it is unknown`() throws {
    let message = "no connection leads from Hall to out:1-2. From Hall there is Hall -> desk:3-4."
    #expect(throws: ConnectionSpecifier.Fault(message: message)) { try place("Hall -> out:1,2") }
  }
}

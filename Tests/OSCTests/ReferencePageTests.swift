// ReferencePageTests.swift: the reference page lists exactly the addresses of the program. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Testing

@testable import OSC

@Suite struct `The page of OSC addresses` {
  private struct Row {
    let addresses: [String]
    let type: String
    let access: String
  }

  private static func rows() throws -> [Row] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/osc-addresses.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| `/") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let addresses = cells[0].split(separator: "`").map(String.init).filter { $0.hasPrefix("/") }
      return Row(
        addresses: addresses, type: cells[1].replacingOccurrences(of: "`", with: ""),
        access: cells[2])
    }
  }

  /// Whether an address is one of a row, whose parts in capital letters stand for names.
  private static func matches(_ address: String, _ template: String) -> Bool {
    let (parts, names) = (address.split(separator: "/"), template.split(separator: "/"))
    guard parts.count == names.count else { return false }
    return zip(parts, names).allSatisfy { part, name in
      name == part || name.allSatisfy(\.isUppercase) && name.count > 1
    }
  }

  @Test func `lists each address with its type and access`() throws {
    var state = Addresses.state
    state.nodes[1].name = "voice-2"
    state.connections[1].name = "voice -> out"
    let space = OSCAddressSpace(
      state, .init(inputCount: 1, outputCount: 1, readouts: ["reverb": ["reduction"]]))
    let access: [OSCTarget.Access: String] = [
      .read: "read", .write: "write", .readWrite: "read, write",
    ]
    let rows = try Self.rows()
    var used: Set<String> = []
    for method in space.methods {
      // The most specific row: the one with the fewest names.
      let found = rows.flatMap { row in
        row.addresses.filter { Self.matches(method.address, $0) }.map { (row, $0) }
      }.min { one, other in
        one.1.count(where: \.isUppercase) < other.1.count(where: \.isUppercase)
      }
      let (row, address) = try #require(found, "\(method.address)")
      used.insert(address)
      guard !address.hasSuffix("bypass") || method.target == .bypass("voice-2") else { continue }
      #expect(row.type == method.target.typeTags, "\(method.address)")
      #expect(row.access == access[method.target.access], "\(method.address)")
    }
    let others: Set = ["/subscribe", "/unsubscribe", "/error"]
    #expect(Set(rows.flatMap(\.addresses)).subtracting(used) == others)
  }
}

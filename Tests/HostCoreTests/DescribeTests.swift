// DescribeTests.swift: the command `plugin` describes what only the rig has. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import Testing

@testable import HostCore

@Suite struct `The command plugin` {
  @Test func `describes a plugin of the rig that is not installed`() throws {
    let test = try TestHost()
    let reply = try test.reply(.plugin("outboard.gain"))
    guard case .plugin(let json)? = reply.result, case .array(let parameters)? = json["parameters"]
    else {
      Issue.record("\(reply)")
      return
    }
    let gain = try #require(parameters.first { $0["symbol"] == "gain" })
    #expect(gain["unit"] == "dB")
    #expect(gain["minimum"] != nil && gain["maximum"] != nil)
    #expect(try test.reply(.plugin("nothing")).error?.kind == .usage)
  }
}

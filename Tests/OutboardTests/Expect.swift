// Expect.swift: output and status of a command. SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Runs a command that must fail with exactly these messages and this status.
func expectFailure(
  _ arguments: [String], in scratch: TemporaryDirectory, _ message: String, status: Int32 = 2,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let before = try scratch.files()
  let result = try Program.run(arguments, in: scratch)
  #expect(
    result.error.withoutLocations == "outboard: \(message)\n", sourceLocation: sourceLocation)
  #expect(result.text == "", sourceLocation: sourceLocation)
  #expect(result.status == status, sourceLocation: sourceLocation)
  #expect(try scratch.files() == before, "a file was left", sourceLocation: sourceLocation)
}

extension String {
  /// The same, without the locations of crashes, which depend on the compiler.
  var withoutLocations: String {
    replacing(/\ \(in [^ )]+\+0x\w+( \([^)]*\))?\)/, with: "")
  }

  /// The same, with each sequence of blanks replaced by one.
  var squeezed: String { split { $0 == " " }.joined(separator: " ") }
}

/// Runs a command that must succeed without messages.
@discardableResult
func expectSuccess(
  _ arguments: [String], in scratch: TemporaryDirectory, input: Data = Data(), remark: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Program.Result {
  let result = try Program.run(arguments, in: scratch, input: input)
  #expect(result.error == remark, sourceLocation: sourceLocation)
  #expect(result.status == 0, sourceLocation: sourceLocation)
  return result
}

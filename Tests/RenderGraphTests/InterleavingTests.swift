// InterleavingTests.swift: properties that hold for every order of the threads' steps. SPDX-License-Identifier: MIT

import Testing

@Suite struct InterleavingTests {
  private static let shapes: [(name: String, successors: [[UInt8]])] = [
    ("two beside each other", [[], []]),
    ("a fork", [[1, 2], [], []]),
    ("a join", [[2], [2], []]),
    ("a diamond", [[1, 2], [3], [3], []]),
  ]

  @Test(arguments: shapes.indices)
  func `an owner and a worker run every task once, in order, and no thread sleeps forever`(
    shape: Int
  ) throws {
    let count = try exploreAll(TaskModel(Self.shapes[shape].successors, workers: 1, blocks: 2))
    #expect(count > 1_000)
  }

  @Test func `two workers run every task once, and no thread sleeps forever`() throws {
    #expect(try exploreAll(TaskModel([[1, 2], [], []], workers: 2, blocks: 1)) > 100_000)
  }

  @Test func `a render sequence is never freed while it is rendered, and never twice`() throws {
    #expect(try exploreAll(SequenceSwapModel(programs: 4, blocks: 6)) > 100)
  }

  @Test func `a missing check before sleep is detected`() throws {
    let model = TaskModel(Self.shapes[2].successors, workers: 1, blocks: 1, looksAgain: false)
    #expect(throws: InvariantViolation.self) { try exploreAll(model) }
  }

  @Test func `a task that waits for one task too few is detected`() throws {
    let model = TaskModel(Self.shapes[2].successors, workers: 1, blocks: 1, miscounts: true)
    #expect(throws: InvariantViolation.self) { try exploreAll(model) }
  }
}

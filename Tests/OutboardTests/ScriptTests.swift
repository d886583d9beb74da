// ScriptTests.swift: scripts that end early report the reason, and remove their files. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct ScriptTests {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      at: scratch.directory.appending(path: "tmp"), withIntermediateDirectories: true)
  }

  /// The repository's directory, above that of this file.
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Runs a bash command in the repository's directory, with temporary files in the test directory.
  private func bash(_ line: String, _ environment: [String: String] = [:]) throws -> Program.Result
  {
    let tmp = scratch.directory.appending(path: "tmp").path
    return try Program.start(
      [
        "/usr/bin/env", "--default-signal=INT,TERM", "/bin/bash", "-c",
        "cd '\(Self.root)' && \(line)",
      ], in: scratch,
      environment: environment.merging(["TMPDIR": tmp]) { first, _ in first }
    ).finish()
  }

  private func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: scratch.directory.appending(path: "tmp").path)
  }

  @Test(arguments: ["Benchmarks/reload", "scripts/check-reloads"])
  func `a session that does not start ends the script with its message`(script: String) throws {
    let program = scratch.directory.appending(path: "broken")
    try "#!/bin/sh\necho 'outboard: no luck' >&2\nexit 1\n".write(
      to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: program.path)
    let result = try bash(script, ["OUTBOARD": program.path])
    #expect(result.status == 1)
    #expect(result.error.contains("the session did not print \"Ctrl-C\""), "\(result.error)")
    #expect(result.error.contains("no luck"))
    #expect(try leftovers() == [])
  }

  @Test func `a benchmark that ends before its session starts removes its files`() throws {
    let result = try bash("Benchmarks/reload nowhere.c", ["OUTBOARD": "/bin/true"])
    #expect(result.status == 2)
    #expect(result.error.contains("nowhere.c"))
    #expect(!result.error.contains("unbound"), "\(result.error)")
    #expect(try leftovers() == [])
  }

  @Test func `the machines of a check end with the check`() throws {
    let line = """
      source Tests/VM/setup.sh; out=$(mktemp -d); trap clean_up EXIT
      sleep 1000 & echo $!; exit 3
      """
    let result = try bash(line)
    #expect(result.status == 3)
    let process = try #require(
      pid_t(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1 && errno == ESRCH)
    #expect(try leftovers() == [])
  }

  // The tests of the script fail beside others; `test_b` also fails alone.
  @Test(arguments: [
    (failing: "test_a", status: 0, repeated: 2, listed: true),
    (failing: "test_a test_b", status: 1, repeated: 3, listed: true),
    (failing: "test_a test_c test_d test_e", status: 1, repeated: 0, listed: false),
  ])
  func `a failed test is repeated alone, and listed if it passes`(
    failing: String, status: Int32, repeated: Int, listed: Bool
  ) throws {
    let script = scratch.directory.appending(path: "tests")
    try """
    #!/bin/bash
    [[ $# -gt 0 ]] || set -- $FAILING together
    status=0
    for name in "$@"; do
      [[ $name != together ]] || continue
      if [[ ${!#} = together || $name = test_b ]]; then echo "FAILED  $name: no luck" && status=1; fi
    done
    exit $status
    """.write(to: script, atomically: true, encoding: .utf8)
    let (result, flaky) = try repeatFailed(of: script, ["FAILING": failing])
    #expect(result.status == status, "\(result.error)")
    let repetitions = result.text.split(separator: "\n").filter { $0.hasPrefix("Repeating ") }
    #expect(repetitions.count == repeated)
    #expect(
      flaky
        == (listed ? "test_a failed beside other tests, and passed twice alone\n" : ""))
  }

  @Test(arguments: [
    (failures: 1, failedRuns: 0, status: 0, runs: 1),
    (failures: 2, failedRuns: 1, status: 0, runs: 2),
    (failures: 2, failedRuns: 2, status: 1, runs: 2),
    (failures: 4, failedRuns: 1, status: 1, runs: 1),
  ])
  func `tests that cannot run alone are all repeated, once`(
    failures: Int, failedRuns: Int, status: Int32, runs: Int
  ) throws {
    let script = scratch.directory.appending(path: "tests")
    try """
    #!/bin/bash
    echo run >>"$0.runs"
    [[ $(wc -l <"$0.runs") -le $FAILED_RUNS ]] || exit 0
    for ((test = 1; test <= FAILURES; test++)); do echo "FAILED  the sound $test: no xrun"; done
    exit 1
    """.write(to: script, atomically: true, encoding: .utf8)
    let (result, flaky) = try repeatFailed(
      "--whole", of: script, ["FAILURES": "\(failures)", "FAILED_RUNS": "\(failedRuns)"])
    #expect(result.status == status, "\(result.error)")
    #expect(
      try String(contentsOf: scratch.directory.appending(path: "tests.runs"), encoding: .utf8)
        == String(repeating: "run\n", count: runs))
    let listed = status == 0 && failedRuns > 0 ? Array(1 ... failures) : []
    #expect(
      flaky
        == listed.map {
          "the sound \($0): no xrun failed beside other tests, and passed in a second run\n"
        }
        .joined())
  }

  /// Runs a script of tests with `scripts/repeat-failed`, and returns the list of unreliable tests too.
  private func repeatFailed(
    _ option: String = "", of script: URL, _ environment: [String: String]
  ) throws -> (result: Program.Result, flaky: String) {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: script.path)
    let flaky = scratch.directory.appending(path: "flaky")
    let result = try bash(
      "scripts/repeat-failed \(option) '\(flaky.path)' '\(script.path)'", environment)
    return (result, (try? String(contentsOf: flaky, encoding: .utf8)) ?? "")
  }
}

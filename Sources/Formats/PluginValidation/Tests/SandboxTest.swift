// SandboxTest.swift: the requests that a plugin makes in a sandbox. SPDX-License-Identifier: MIT

internal import Isolation
internal import PluginModel

/// Uses the plugin in a sandbox that contains nothing but its own files, and lists what it is refused.
enum SandboxTest: ValidationTestRunner {
  static let examination = ValidationTest.sandbox

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    specimen.begin("in a sandbox")
    do {
      return try refusals(specimen)
    } catch let error as IsolationError {
      switch error {
      case .ended, .plugin:
        let text = "It cannot run in a sandbox. \(error.description)"
        return TestResult(examination, remarks: [TestMessage(.note, text)])
      default:
        // The kernel has no sandboxes, or there are no worker processes here.
        return .notApplicable(examination)
      }
    }
  }

  private static func refusals(_ specimen: PluginUnderTest) throws -> TestResult {
    let bench = try specimen.sandboxedBench()
    guard let node = bench.node.capabilities[IsolatedNode.self] else {
      return .notApplicable(examination)
    }
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    bench.run(frames: 24_000, blocks: 256)
    return TestResult(examination, remarks: remarks(node.refusals))
  }

  /// A note with each kind of request, and the first file or call.
  static func remarks(_ refusals: [SandboxRefusal]) -> [TestMessage] {
    var asked: [String] = []
    for kind in SandboxRefusal.Kind.allCases {
      guard let first = refusals.first(where: { $0.kind == kind }) else { continue }
      let what = (first.path ?? first.call).map { " (\($0))" } ?? ""
      asked.append(kind.noun + what)
    }
    guard !asked.isEmpty else { return [] }
    return [TestMessage(.note, "In a sandbox, it asks for: \(asked.joined(separator: ", ")).")]
  }
}

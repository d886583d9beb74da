// SandboxTest.swift: the requests that a plugin makes in a sandbox. SPDX-License-Identifier: MIT

internal import Isolation
internal import PluginModel

/// Uses the plugin in a sandbox that contains nothing but its own files, and lists what it is refused.
enum SandboxTest: ValidationTestRunner {
  static let test = ValidationTest.sandbox

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("in a sandbox")
    do {
      return try refusals(testedPlugin)
    } catch let error as IsolationError {
      switch error {
      case .ended, .plugin:
        let text = "It cannot run in a sandbox. \(error.description)"
        return TestResult(test, remarks: [TestMessage(.note, text)])
      default:
        // The kernel has no sandboxes, or there are no worker processes here.
        return .notApplicable(test)
      }
    }
  }

  private static func refusals(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    let bench = try testedPlugin.sandboxedBench()
    guard let node = bench.node.capabilities[IsolatedNode.self] else {
      return .notApplicable(test)
    }
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    bench.run(frames: 24_000, blocks: 256)
    return TestResult(test, remarks: remarks(node.refusals))
  }

  /// A note with each kind of request, and the first file or call.
  static func remarks(_ refusals: [SandboxRefusal]) -> [TestMessage] {
    var requests: [String] = []
    for kind in SandboxRefusal.Kind.allCases {
      guard let first = refusals.first(where: { $0.kind == kind }) else { continue }
      let what = (first.path ?? first.call).map { " (\($0))" } ?? ""
      requests.append(kind.noun + what)
    }
    guard !requests.isEmpty else { return [] }
    return [TestMessage(.note, "In a sandbox, it asks for: \(requests.joined(separator: ", ")).")]
  }
}

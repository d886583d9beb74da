// KitGuideTests.swift: the code in the Swift kit's documentation compiles and runs. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite(.enabled(if: RigTestEnvironment.hasProgram("swiftc"), "swiftc is installed"))
struct KitGuideTests {
  private static let article = "Sources/SDK/ModuleKit/ModuleKit.docc/WritingAModule.md"

  @Test func `the article shows the tested file`() throws {
    let article = try String(contentsOfFile: Fixtures.path(Self.article), encoding: .utf8)
    for file in Fixtures.names(in: "Tests/Fixtures/kit") {
      let code = try String(
        contentsOfFile: Fixtures.path("Tests/Fixtures/kit/\(file)"), encoding: .utf8)
      #expect(article.contains("```swift\n\(code)```"))
    }
  }

  @Test func `Warmth passes a quiet tone with its latency and limits a loud one`() throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find(Fixtures.path("Tests/Fixtures/kit/warmth.swift"))
    #expect(workshop.library.preflightError(of: plugin) == nil)
    let effect = try PortedEffect(workshop.library, plugin, [0, 0])
    let late = effect.node.latencyFrames
    #expect(late == 39)
    func tone(_ peak: Float) -> [Float] {
      (0 ..< 9_600).map { peak * sin(Float($0) * 2 * .pi * 0.01) }
    }
    let quiet = effect.render([tone(0.001), tone(0.001)], block: 100)[0]
    let expected = [Float](repeating: 0, count: late) + tone(0.001)
    // Both values ramp from their start values for a fifth of a second.
    let rest = zip(quiet, expected).dropFirst(9_000).map { abs($0 - $1) }.max() ?? 1
    #expect(rest < 1e-6, "\(rest)")
    let loud = effect.render([tone(30), tone(30)], block: 100)[0]
    #expect(loud.map(abs).max() ?? 2 < 1.1)
  }
}

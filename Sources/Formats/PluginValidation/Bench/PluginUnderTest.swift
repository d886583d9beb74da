// PluginUnderTest.swift: the plugin that is examined. SPDX-License-Identifier: MIT

internal import CRealtime
internal import PluginModel

/// A plugin, and how instances of it are made.
final class PluginUnderTest {
  /// The rate at which everything is done that has none of its own, in Hz.
  static let sampleRateHz = 48_000.0
  /// The longest block of those examinations, in frames.
  static let maximumFrameCount = 1_024

  let description: PluginDescription
  /// Makes an instance, not yet active.
  let make: (NodeConfiguration) throws -> any Node
  /// Whether its instances would share variables, so that each has a copy of the library.
  var keepsGlobals: () -> Bool = { false }
  private let tell: (String) -> Void
  private var situation = ""
  private var toldNanoseconds: UInt64 = 0
  /// One that is slow is not taken for one that hangs as long as it says something this often.
  private static let signNanoseconds: UInt64 = 1_000_000_000

  /// A plugin, how it is made, and whom to tell what is done with it.
  init(
    description: PluginDescription, make: @escaping (NodeConfiguration) throws -> any Node,
    tell: @escaping (String) -> Void
  ) {
    self.description = description
    self.make = make
    self.tell = tell
  }

  /// Tells what is done from now on, as the end of a sentence: `with blocks of 7 frames`.
  func begin(_ situation: String) {
    self.situation = situation
    tell(situation)
    toldNanoseconds = crealtime_nanoseconds()
  }

  /// Gives a sign of life if the last was some time ago; before each block.
  func giveSign() {
    if crealtime_nanoseconds() > toldNanoseconds + Self.signNanoseconds { begin(situation) }
  }

  /// A bench with a fresh instance; threads of its own do the work that it hands on, unless it renders
  /// to a file.
  func bench(
    sampleRateHz: Double = sampleRateHz, maximumFrameCount: Int = maximumFrameCount,
    isOffline: Bool = false, hasConstantBlocks: Bool = false
  ) throws -> TestBench {
    try TestBench(
      self,
      NodeConfiguration(
        sampleRateHz: sampleRateHz, maximumFrameCount: maximumFrameCount, isOffline: isOffline,
        hasConstantBlocks: hasConstantBlocks))
  }

  /// `output "left"`, or `outputs "left", "right"`.
  func outputs(_ channels: Set<Int>) -> String {
    Self.list("output", channels, description.audioOutputs + description.cvOutputs)
  }

  /// The same for inputs.
  func inputs(_ channels: Set<Int>) -> String {
    Self.list("input", channels, description.audioInputs + description.cvInputs)
  }

  private static let listedCount = 4

  private static func list(_ word: String, _ channels: Set<Int>, _ ports: [AudioPort]) -> String {
    let names = channels.sorted().map { channel in
      channel < ports.count ? "\"\(ports[channel].symbol)\"" : "\(channel + 1)"
    }
    let more = names.count - listedCount
    return "\(word)\(names.count == 1 ? "" : "s") "
      + names.prefix(listedCount).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

/// Something that a specimen is taken through.
protocol ValidationTestRunner {
  static var examination: ValidationTest { get }
  /// Does it; an error that it throws is a fault of the plugin, in the plugin's words.
  static func examine(_ specimen: PluginUnderTest) throws -> TestResult
}

extension TestResult {
  /// There was nothing to examine.
  static func notApplicable(_ examination: ValidationTest) -> TestResult {
    TestResult(examination, isApplicable: false)
  }
}

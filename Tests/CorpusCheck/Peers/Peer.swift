// Peer.swift: other programs that render a file through an LV2 plugin. SPDX-License-Identifier: MIT

/// A program whose output is compared with Outboard's.
enum Peer: String, CaseIterable {
  /// Of lilv, which offers no feature at all and runs a frame at a time.
  case lv2apply
  /// The `lv2` filter, which offers options, bounded blocks and URIDs, and runs blocks of any
  /// length.
  case ffmpeg
  /// Not a real host, but a minimal one that offers every feature: `Tests/Corpus/loop.c`.
  case loop

  /// The Debian package that contains it.
  var package: String {
    switch self {
    case .lv2apply: "lilv-utils"
    case .ffmpeg: "ffmpeg"
    case .loop: "liblilv-dev"
    }
  }

  /// The name of the program; `scripts/corpus` compiles `corpus-loop`.
  private var program: String {
    switch self {
    case .lv2apply: "lv2apply"
    case .ffmpeg: "ffmpeg"
    case .loop: "corpus-loop"
    }
  }

  /// The block length in frames.
  var blockFrames: Int {
    switch self {
    case .lv2apply: 1
    case .ffmpeg, .loop: 512
    }
  }

  /// Whether the program is installed.
  var isThere: Bool { !Tool.output("which", [program]).isEmpty }

  /// Whether the program accepts values other than the plugin's defaults.
  var acceptsValues: Bool { self != .loop }

  /// The command that renders a file, with values other than the defaults.
  func command(_ plugin: String, from input: String, to output: String, _ values: [Value])
    -> [String]
  {
    switch self {
    case .lv2apply:
      [program, "-i", input, "-o", output]
        + values.flatMap { ["-c", $0.symbol, "\($0.value)"] } + [plugin]
    case .ffmpeg:
      [
        program, "-nostdin", "-v", "error", "-guess_layout_max", "0", "-i", input, "-af",
        "asetnsamples=n=\(blockFrames):p=0,lv2=p=\(Self.escaped(plugin))" + Self.controls(values),
        "-c:a", "pcm_f32le", "-f", "wav", "-y", output,
      ]
    case .loop: [program, "\(blockFrames)", input, output, plugin]
    }
  }

  /// A value for a control input.
  struct Value {
    let symbol: String
    let value: Float
  }

  private static func controls(_ values: [Value]) -> String {
    guard !values.isEmpty else { return "" }
    return ":c=" + values.map { "\($0.symbol)=\($0.value)" }.joined(separator: "|")
  }

  /// Colons separate the options of a filter, and a filter is parsed twice.
  private static func escaped(_ plugin: String) -> String {
    plugin.replacing(":", with: #"\\:"#)
  }
}

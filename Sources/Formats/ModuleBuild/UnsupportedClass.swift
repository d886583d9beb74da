// UnsupportedClass.swift: classes of JUCE that the porting headers do not have. SPDX-License-Identifier: MIT

import FoundationEssentials

/// A class of JUCE that code uses and the porting headers do not have.
enum UnsupportedClass {
  /// The classes by topic, with what to do instead.
  private static let topics: [(names: [String], advice: String)] = [
    (
      ["Convolution"],
      "Remove it and render the response by the module outboard.convolver after this one:"
        + " `outboard run SOURCE outboard.convolver impulse=FILE.wav`"
    ),
    (
      [
        "AudioFormatManager", "AudioFormatReader", "AudioFormatReaderSource", "AudioFormatWriter",
        "WavAudioFormat", "AudioTransportSource", "File", "FileInputStream", "FileOutputStream",
        "FileLogger", "MemoryMappedAudioFormatReader",
      ],
      "Sources have no access to files. The host loads audio files for a module: `outboard help modules`, section Files"
    ),
    (
      ["SamplerSound", "SamplerVoice"],
      "Use the module outboard.sampler, or a SynthesiserVoice that plays a table"
    ),
    (
      [
        "AudioProcessorGraph", "AudioPluginFormatManager", "AudioPluginInstance",
        "KnownPluginList", "AudioProcessorPlayer",
      ],
      "Connect plugins in a rig: `outboard help rigs`"
    ),
    (
      ["AudioDeviceManager", "AudioIODeviceCallback", "AudioAppComponent", "AudioSourcePlayer"],
      "The host opens the devices. Move the code into the processBlock of an AudioProcessor"
    ),
    (
      [
        "MPESynthesiser", "MPESynthesiserVoice", "MPESynthesiserBase", "MPEInstrument", "MPENote",
      ],
      "Use a Synthesiser, without MPE"
    ),
    (
      [
        "Thread", "ThreadPool", "ThreadPoolJob", "TimeSliceThread", "TimeSliceClient",
        "WaitableEvent",
      ],
      "A module must not start threads. Do the work in prepareToPlay"
    ),
    (
      ["OSCReceiver", "OSCSender"],
      "The host controls parameters: `outboard help control-a-session`"
    ),
    (["StreamingSocket", "DatagramSocket", "URL", "WebInputStream"], "Remove the network code"),
    (
      ["OpenGLContext", "OpenGLRenderer"],
      "Move drawing code to the editor's file, which is left out"
    ),
    (["Matrix", "SIMDRegister"], "Write the loop with plain floats; the compiler vectorises it"),
  ]

  /// Returns one line for each unsupported class in a C++ compiler's messages; nil if there is none. [any]
  ///
  /// All further errors of a class that is missing are consequences.
  static func message(for refusal: String) -> String? {
    var seen: Set<String> = []
    var lines: [String] = []
    for line in refusal.split(whereSeparator: \.isNewline) {
      guard let mark = line.firstRange(of: " error: ") else { continue }
      let location = line[..<mark.lowerBound].split(separator: ":").prefix(2).joined(separator: ":")
      let words = line[mark.upperBound...]
      let quoted = Self.quoted(in: words)
      let isOfJUCE = quoted.dropFirst().contains { $0 == "juce" || $0.hasPrefix("juce::") }
      let names =
        isOfJUCE && !words.contains("has no member") ? Array(quoted.prefix(1)) : quoted
      for name in names + sourceWords(at: location) {
        let short = name.split(separator: ":").last.map(String.init) ?? name
        let topic = topics.first { $0.names.contains(short) }
        guard topic != nil || (isOfJUCE && name == names.first && !words.contains("has no member")),
          seen.insert(short).inserted
        else { continue }
        lines.append(
          "\(location): \(short) is not supported for JUCE sources."
            + " \(topic?.advice ?? "Remove it, or declare it above the include").")
      }
    }
    guard !lines.isEmpty else { return nil }
    lines.append("`outboard help porting/juce` lists the supported classes.")
    return lines.joined(separator: "\n")
  }

  /// Whether a name of JUCE is missing, which no other version of C++ has. [any]
  static func isCertain(in refusal: String) -> Bool {
    refusal.split(whereSeparator: \.isNewline).contains { line in
      line.contains(" error: ")
        && ["in namespace ‘juce", "in namespace 'juce", "member of ‘juce"].contains {
          line.contains($0)
        }
    }
  }

  /// Returns the words in quotation marks of GCC or Clang.
  private static func quoted(in words: Substring) -> [String] {
    let parts = words.split(
      omittingEmptySubsequences: false, whereSeparator: { "‘’'".contains($0) })
    return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Returns the class names in the line of an error, whose message may not name the class.
  private static func sourceWords(at location: String) -> [String] {
    let parts = location.split(separator: ":")
    guard parts.count == 2, let number = Int(parts[1]), number > 0,
      let data = FileManager.default.contents(atPath: String(parts[0]))
    else { return [] }
    let lines = String(decoding: data, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard number <= lines.count else { return [] }
    let line = lines[number - 1]
    // Without a namespace, a short name could be one of the code.
    return line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }.map(String.init)
      .filter { $0.hasPrefix("juce::") || $0.count > 8 }
  }
}

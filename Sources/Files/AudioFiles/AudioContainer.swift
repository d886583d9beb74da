// AudioContainer.swift: the file formats that can be written. SPDX-License-Identifier: MIT

import CSndFile

/// A kind of audio file, chosen by the extension of its name.
package enum AudioContainer: String, Sendable, CaseIterable {
  /// RIFF WAVE; RF64 above 4 GB.
  case wav
  /// Free Lossless Audio Codec.
  case flac
  /// Vorbis in Ogg.
  case ogg
  /// Opus in Ogg.
  case opus
  /// MPEG layer III.
  case mp3
  /// Audio Interchange File Format.
  case aiff
  /// Core Audio Format.
  case caf
  /// Sun AU.
  case au
  /// Raw PCM, little-endian.
  case raw

  /// Finds the file format of a path by its extension; returns nil if it is unknown. [any]
  package init?(path: String) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...].lowercased()
    guard let found = Self.allCases.first(where: { $0.extensions.contains(suffix) }) else {
      return nil
    }
    self = found
  }

  /// Whether a path names a sound file with a header, by its extension. [any]
  package static func isAudioFile(_ path: String) -> Bool {
    if let container = AudioContainer(path: path) { return container != .raw }
    return ["mp3", "w64", "rf64", "wave", "aifc"].contains { path.lowercased().hasSuffix(".\($0)") }
  }

  /// The extensions that name it, the usual one first.
  package var extensions: [String] {
    switch self {
    case .wav: ["wav"]
    case .flac: ["flac"]
    case .ogg: ["ogg", "oga"]
    case .opus: ["opus"]
    case .mp3: ["mp3"]
    case .aiff: ["aiff", "aif"]
    case .caf: ["caf"]
    case .au: ["au"]
    case .raw: ["raw"]
    }
  }

  /// The readable name.
  package var name: String {
    switch self {
    case .wav: "WAV"
    case .flac: "FLAC"
    case .ogg: "Ogg Vorbis"
    case .opus: "Opus"
    case .mp3: "MP3"
    case .aiff: "AIFF"
    case .caf: "CAF"
    case .au: "AU"
    case .raw: "a raw file"
    }
  }

  /// The supported sample formats; empty for a lossy codec.
  package var formats: [SampleFormat] {
    switch self {
    case .wav, .aiff, .caf, .au, .raw: SampleFormat.allCases
    case .flac: [.s16, .s24]
    case .ogg, .opus, .mp3: []
    }
  }

  /// The sample format with the least loss: float if possible, so that nothing clips, otherwise 24
  /// bits.
  package var defaultFormat: SampleFormat {
    self == .flac ? .s24 : .float
  }

  /// The maximum number of channels.
  package var maximumChannelCount: Int {
    switch self {
    case .flac: 8
    case .ogg, .opus: 255
    case .mp3: 2
    case .wav, .aiff, .caf, .au, .raw: 1024
    }
  }

  /// Returns whether it supports this sample rate.
  package func supports(sampleRateHz: Int) -> Bool {
    switch self {
    case .flac: 1 ... 655_350 ~= sampleRateHz
    case .ogg: 8000 ... 200_000 ~= sampleRateHz
    case .opus: Self.opusRates.contains(sampleRateHz)
    case .mp3: Self.mp3Rates.contains(sampleRateHz)
    case .wav, .aiff, .caf, .au, .raw: sampleRateHz > 0
    }
  }

  /// Returns the sample rate for audio whose rate a codec does not support: the next higher one, or the highest;
  /// nil if the rate is supported, or the format has no list of rates. [any]
  package func substitute(forRateHz rateHz: Int) -> Int? {
    guard !supports(sampleRateHz: rateHz) else { return nil }
    let rates: [Int]
    switch self {
    case .opus: rates = Self.opusRates
    case .mp3: rates = Self.mp3Rates
    case .wav, .flac, .ogg, .aiff, .caf, .au, .raw: return nil
    }
    return rates.first { $0 >= rateHz } ?? rates.last
  }

  /// Returns the note that a file has another sample rate than its source. [any]
  package func note(on path: String, with rateHz: Int, insteadOf wantedHz: Int) -> String {
    "\(path) has \(rateHz) Hz, because \(name) does not offer \(wantedHz) Hz."
  }

  private static let opusRates = [8000, 12_000, 16_000, 24_000, 48_000]
  /// The sample rates of MPEG-1, 2 and 2.5.
  private static let mp3Rates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
  ]

  /// Whether a file can be read at any time while it is written.
  package var isRecordable: Bool { self != .mp3 }

  /// Whether its sizes are counted in 32 bits, with no larger sibling to fall back to.
  var endsAtFourGigabytes: Bool { self == .aiff || self == .au }

  /// Whether a header contains the number of the following bytes, so that a file is truncated if it
  /// has fewer.
  var storesLength: Bool {
    switch self {
    case .wav, .aiff, .caf, .au: true
    case .flac, .ogg, .opus, .mp3, .raw: false
    }
  }

  /// All extensions, as a list in a message.
  static var allExtensions: String {
    let all = allCases.flatMap(\.extensions).map { ".\($0)" }
    return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
  }

  /// The formats, as a list in a message.
  var offer: String {
    guard let last = formats.last else { return "no choice of sample format" }
    return formats.dropLast().map(\.rawValue).joined(separator: ", ") + " and \(last.rawValue)"
  }

  /// The rates, as a list in a message.
  var rates: String {
    switch self {
    case .flac: "1 to 655350 Hz"
    case .ogg: "8000 to 200000 Hz"
    case .opus: "8000, 12000, 16000, 24000 and 48000 Hz"
    case .mp3:
      Self.mp3Rates.dropLast().map(String.init).joined(separator: ", ")
        + " and \(Self.mp3Rates[Self.mp3Rates.count - 1]) Hz"
    case .wav, .aiff, .caf, .au, .raw: "any rate above 0 Hz"
    }
  }

  /// Returns libsndfile's format code; `isLarge` allows a WAV file to exceed 4 GB.
  func code(_ format: SampleFormat, isLarge: Bool) -> Int32 {
    switch self {
    case .wav: Int32(isLarge ? SF_FORMAT_RF64 : SF_FORMAT_WAV) | format.code
    case .flac: Int32(SF_FORMAT_FLAC) | format.code
    case .ogg: Int32(SF_FORMAT_OGG) | Int32(SF_FORMAT_VORBIS)
    case .opus: Int32(SF_FORMAT_OGG) | Int32(SF_FORMAT_OPUS)
    case .mp3: Int32(SF_FORMAT_MPEG) | Int32(SF_FORMAT_MPEG_LAYER_III)
    case .aiff: Int32(SF_FORMAT_AIFF) | format.code
    case .caf: Int32(SF_FORMAT_CAF) | format.code
    case .au: Int32(SF_FORMAT_AU) | format.code
    case .raw: Int32(SF_FORMAT_RAW) | Int32(SF_ENDIAN_LITTLE) | format.code
    }
  }
}

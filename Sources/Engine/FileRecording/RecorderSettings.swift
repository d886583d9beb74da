// RecorderSettings.swift: the settings of a recorder. SPDX-License-Identifier: MIT

package import AudioFiles
package import PluginModel

/// The settings of a recorder: its file, and the format of the file.
package struct RecorderSettings: BuiltinSettings {
  /// The name of a recorder in a rig.
  package static let word = "recorder"
  /// The range of channel counts.
  package static let channelCounts = 1 ... 64
  /// The range of the preroll, in seconds.
  package static let prerollSeconds = 0.0 ... 300.0

  /// The path of the file, as a `TakeFileName`; its extension selects the format.
  package var path: String
  /// The sample format; nil for the best one of the file format.
  package var format: SampleFormat?
  /// Samples in a frame, one of `channelCounts`.
  package var channelCount: Int
  /// Whether the recorder waits for the command to start.
  package var startsWaiting = false
  /// The preroll in seconds: audio from before the start that belongs to a take.
  package var prerollSeconds = 0.0
  /// The length at which the recording continues in another file; nil for never.
  package var split: SplitLength?

  /// A file of its kind's best format.
  package init(path: String, format: SampleFormat? = nil, channelCount: Int) {
    self.path = path
    self.format = format
    self.channelCount = channelCount
  }

  /// Reads the settings from a description; returns nil for another plugin. [any]
  package init?(_ plugin: PluginDescription) {
    guard let settings = plugin.builtin?.settings(RecorderSettings.self) else { return nil }
    self = settings
  }

  /// Creates a recorder. [main]
  package func makeNode(_ configuration: NodeConfiguration) -> any Node {
    RecorderNode(self, configuration)
  }

  /// The recorder as one of a graph's nodes. [any]
  package var plugin: PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Self.word, name: "Recorder", format: .builtin)
    plugin.category = "Recorder"
    plugin.summary = "Records its inputs to a file; has no outputs."
    plugin.audioInputs = (1 ... channelCount).map { AudioPort(symbol: "in_\($0)", name: "\($0)") }
    plugin.builtin = BuiltinNode(self)
    return plugin
  }

  /// Checks that the file format supports the settings, without accessing the file system. [any]
  ///
  /// - Parameter sampleRateHz: the rate of the graph, if it is known already.
  /// - Throws: the error of the name (`RecordingError`), the sample format, the number of channels or the rate.
  package func checkExtension(sampleRateHz: Int = 48_000) throws {
    let path = try TakeFileName(path).path(TakeFileName.Values())
    try settings(path: path, sampleRateHz: sampleRateHz).checkExtension()
  }

  /// Checks that the file could be created now. [any]
  ///
  /// - Throws: as `checkExtension`; or if the file exists, or the directory accepts no file.
  package func checkDirectory() throws {
    let name = try TakeFileName(path)
    let path = name.path(TakeFileName.Values(take: name.nextTake()))
    try settings(path: path, sampleRateHz: 48_000).checkGrowing()
  }

  func settings(path: String, sampleRateHz: Int) -> AudioFileWriter.Settings {
    var settings = AudioFileWriter.Settings(
      path: path, sampleRateHz: sampleRateHz, channelCount: channelCount)
    settings.format = format
    settings.isGrowing = true
    return settings
  }
}

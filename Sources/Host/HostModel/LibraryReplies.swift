// LibraryReplies.swift: replies about plugins and files that can be used. SPDX-License-Identifier: MIT

/// A plugin as `plugins` lists it.
package struct PluginSummary: Codable, Sendable, Equatable {
  /// The URI, id or built-in word, which other commands accept.
  package var plugin: String
  /// The name.
  package var name: String
  /// The category; empty if it has none.
  package var category: String
  /// `lv2`, `module` or `builtin`.
  package var format: String
  /// A description of the plugin's purpose; nil if it has none.
  package var summary: String?
  /// The number of audio inputs.
  package var inputs: Int
  /// The number of audio outputs.
  package var outputs: Int
  /// True if it accepts MIDI; nil otherwise.
  package var midi: Bool?

  /// A plugin by its values.
  package init(
    plugin: String, name: String, category: String, format: String, summary: String?, inputs: Int,
    outputs: Int, midi: Bool?
  ) {
    (self.plugin, self.name, self.category, self.format) = (plugin, name, category, format)
    (self.summary, self.inputs, self.outputs, self.midi) = (summary, inputs, outputs, midi)
  }
}

/// An installed rig.
package struct RigInfo: Codable, Sendable, Equatable {
  /// The name, which `load` accepts.
  package var name: String
  /// The path of its file.
  package var path: String

  /// A rig by its file.
  package init(name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// A directory with its directories and audio files.
package struct FileList: Codable, Sendable, Equatable {
  /// A file or directory.
  package struct Entry: Codable, Sendable, Equatable {
    /// The name.
    package var name: String
    /// Whether the entry is a directory.
    package var directory: Bool

    /// A file or directory by its name.
    package init(name: String, directory: Bool) { (self.name, self.directory) = (name, directory) }
  }

  /// The absolute path of the directory.
  package var directory: String
  /// The directories first, then the audio files, each sorted by name.
  package var entries: [Entry]

  /// A directory and its contents.
  package init(directory: String, entries: [Entry]) {
    (self.directory, self.entries) = (directory, entries)
  }
}

/// Answers commands about plugins and files without the session.
package protocol LibraryQueries: Sendable {
  /// Returns the reply to a command; nil if it is a command for the session. [any thread that may wait for seconds]
  func answer(_ command: Command) -> Reply?
}

// SearchMatch.swift: the results of a search by purpose. SPDX-License-Identifier: MIT

package import PluginModel

/// A plugin or a command that fits a request.
package struct SearchMatch: Sendable, Equatable {
  /// The plugin or command that was found.
  package enum Target: Sendable, Equatable {
    /// A plugin, by its identifier.
    case plugin(String)
    /// A command line of this program.
    case command(String)
  }

  /// The part of a description that contains the words.
  package enum Field: String, Sendable, CaseIterable {
    case name, category, description, preset, parameter, port, property, vendor, identifier
  }

  /// The reason why a plugin or command was found.
  package struct Reason: Sendable, Equatable {
    /// The words of the request.
    package var words: String
    /// The field that contains the words or their synonyms.
    package var field: Field
    /// The text of that part, or the words around the match if it is long.
    package var text: String
  }

  /// The plugin or command that was found.
  package var target: Target
  /// The kind of plugin; nil for a command.
  package var kind: PluginKind?
  /// The readable name.
  package var name: String
  /// The category; empty if unknown.
  package var category: String
  /// The purpose; empty if unknown.
  package var summary: String
  /// The reasons, in the order of the request.
  package var reasons: [Reason]
  /// The rank: higher is better.
  package var score: Double
}

/// The answer to a request.
package struct SearchAnswer: Sendable, Equatable {
  /// The matches, the best one first.
  package var matches: [SearchMatch]
  /// Similar words, if nothing matches.
  package var suggestions: [String]
}

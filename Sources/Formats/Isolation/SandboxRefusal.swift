// SandboxRefusal.swift: what a sandbox has refused. SPDX-License-Identifier: MIT

/// A request of a plugin that its sandbox refused.
package struct SandboxRefusal: Sendable, Equatable {
  /// The kind of a request.
  package enum Kind: String, Sendable, CaseIterable {
    /// A network socket.
    case network
    /// A local socket, or another way to communicate with programs.
    case communication
    /// Another process.
    case process
    /// The memory of another process.
    case inspection
    /// A signal to another process, or its priority.
    case signal
    /// Mounts, kernel modules, the clock, and similar.
    case system
    /// To read a file or directory in the home directory.
    case home
    /// To read another file or directory.
    case read
    /// To write, create, remove or rename a file.
    case write

    /// The kind as a short noun. [any]
    package var noun: String {
      switch self {
      case .network: "network"
      case .communication: "communication with other programs"
      case .process: "other processes"
      case .inspection: "memory of other processes"
      case .signal: "signals to other processes"
      case .system: "system settings"
      case .home: "home directory"
      case .read: "other files"
      case .write: "writing of files"
      }
    }
  }

  /// The kind.
  package var kind: Kind
  /// The system call; nil if unknown.
  package var call: String?
  /// The file, as the plugin named it; nil if there is none, or it is unknown.
  package var path: String?

  /// A refused request.
  package init(kind: Kind, call: String? = nil, path: String? = nil) {
    (self.kind, self.call, self.path) = (kind, call, path)
  }

  /// The request as a phrase after "it". [any]
  package var text: String {
    switch kind {
    case .network: "tried to open a network connection"
    case .communication: "tried to communicate with another program"
    case .process: "tried to start another process"
    case .inspection: "tried to access the memory of another process"
    case .signal: "tried to control another process"
    case .system: "tried to change the system"
    case .home: "tried to read the home directory\(path.map { " (\($0))" } ?? "")"
    case .read: "tried to read \(path ?? "a file")"
    case .write: "tried to write \(path ?? "a file")"
    }
  }
}

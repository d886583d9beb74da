// IsolationError.swift: why a node cannot run in a worker process. SPDX-License-Identifier: MIT

package import ErrorModel
internal import Glibc
package import PluginCatalogue

/// Why a node cannot run in a worker process.
package enum IsolationError: Equatable {
  /// The node is part of the host.
  case builtin(name: String)
  /// Helper processes are forbidden.
  case noHelpers(name: String)
  /// The process could not be started; an errno value.
  case notStarted(name: String, code: Int32)
  /// The program of the worker has another version.
  case otherVersion(name: String)
  /// The shared memory could not be created; an errno value.
  case noMemory(name: String, byteCount: Int, code: Int32)
  /// The directory for saved states could not be created; an errno value.
  case noDirectory(name: String, path: String, code: Int32)
  /// The worker process ended.
  case ended(name: String, ChildExit)
  /// The plugin reported an error.
  case plugin(message: String)
  /// The kernel supports no part of a sandbox.
  case noSandbox(name: String)
  /// A sandboxed node of a group.
  case sharedSandbox(name: String)
  /// A state or preset of a sandboxed node could not be copied; an errno value.
  case notCopied(name: String, path: String, code: Int32)
  /// A preset or state of a node whose worker process ended.
  case left(name: String)

  /// One sentence: what happened, where, and what to do. [any]
  package var description: String {
    switch self {
    case .builtin(let name):
      "\(name) is a built-in node, which is part of the host and cannot be isolated. Remove its"
        + " isolation."
    case .noHelpers(let name):
      "\(name) cannot be isolated, because --no-helpers forbids worker processes. Remove one of the"
        + " two."
    case .notStarted(let name, EAGAIN):
      "\(name) cannot be isolated: the process limit is reached. Raise `ulimit -u`, or let several"
        + " nodes share a worker process."
    case .notStarted(let name, ENOENT):
      "\(name) cannot be isolated: the program of the worker process is missing. Reinstall Outboard."
    case .notStarted(let name, let code):
      "\(name) cannot be isolated: the worker process did not start (\(Self.reason(code))). Check"
        + " the limits of the system with `ulimit -a`."
    case .otherVersion(let name):
      "\(name) cannot be isolated: the worker process has another version. Restart Outboard."
    case .noMemory(let name, let byteCount, let code):
      "\(name) cannot be isolated: no \(byteCount / 1_024) KiB of shared memory"
        + " (\(Self.reason(code))). Free memory, or raise the limit of open files."
    case .noDirectory(let name, let path, let code):
      "\(name) cannot be isolated: the directory \(path) for saved states cannot be created"
        + " (\(Self.reason(code))). Set TMPDIR to a writable directory."
    case .ended(let name, let exit):
      "\(name) \(exit.text) in its worker process. Use another version of the plugin."
    case .plugin(let message): message
    case .noSandbox(let name):
      "\(name) cannot run in a sandbox, because this kernel has neither Landlock nor seccomp filters."
        + " Use Linux 5.13 or later, or remove the sandbox."
    case .sharedSandbox(let name):
      "\(name) cannot share a worker process, because it runs in a sandbox. Remove the group."
    case .notCopied(let name, let path, EEXIST):
      "The state of \(name) cannot be saved to \(path), which has other contents. Use another"
        + " directory."
    case .notCopied(let name, let path, let code):
      "The files of \(name) cannot be copied between \(path) and its sandbox (\(Self.reason(code)))."
        + " Check the directory and the free space."
    case .left(let name):
      "The worker process of \(name) has ended. Try again after the node is re-created."
    }
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension IsolationError: HostError {
  /// What cannot be isolated is an error of the request.
  package var kind: ErrorKind {
    switch self {
    case .builtin, .noHelpers, .sharedSandbox: .usage
    default: .failure
    }
  }
}

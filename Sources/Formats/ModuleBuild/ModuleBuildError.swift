// ModuleBuildError.swift: errors of compiling a module. SPDX-License-Identifier: MIT

package import ErrorModel
import FoundationEssentials
import Glibc

/// An error when a source is compiled to a module.
package enum ModuleBuildError: Equatable {
  /// The file does not exist, or the directory has no source.
  case missing(path: String)
  /// The path is a pipe or device, which could block.
  case notAFile(path: String)
  /// The directory has no source; `deeper` is the first subdirectory that has one.
  case noSource(path: String, deeper: String?)
  /// The directory contains both Swift and C.
  case mixed(path: String)
  /// The cache is not writable.
  case noDirectory(path: String)
  /// The compiler is not installed.
  case noCompiler(program: String, path: String)
  /// The compiler failed; its messages with file and line.
  case notCompiled(path: String, messages: String)
  /// The source compiles, but `process` has other arguments than the ABI requires.
  case wrongProcess(file: String, line: Int, fault: String)
  /// The compiler timed out.
  case timedOut(path: String, seconds: Int)

  /// Files that may fix the error when they appear: missing headers at their expected paths.
  package var awaitedFiles: [String] {
    guard case .notCompiled(_, let messages) = self else { return [] }
    return MissingHeader.all(in: messages).map { header in
      let slash = header.includer.lastIndex(of: "/")
      return (slash.map { String(header.includer[...$0]) } ?? "") + header.name
    }
  }

  /// The error message, with the compiler's messages below it.
  package var description: String {
    switch self {
    case .missing(let path):
      ModuleSource.Language(fileName: path) == nil
        ? "\(path): no such directory with .c, .cpp or .swift files."
        : "\(path): no such file."
    case .notAFile(let path):
      "\(path): this is a pipe or device. A source is a file or directory."
    case .noSource(let path, let deeper):
      "\(path): no .c, .cpp or .swift file in this directory"
        + (deeper.map { "; there are some in \($0)." } ?? ".")
    case .mixed(let path):
      "\(path): Swift and C in one directory cannot be compiled into one module. Move them to"
        + " separate directories."
    case .noDirectory(let path):
      "Cannot write compiled modules to \(path). Set XDG_CACHE_HOME to a writable directory."
    case .noCompiler(let program, let path):
      "\(path) cannot be compiled: \(program) is not installed. Install \(Self.installHint(program)) or use a"
        + " compiled library."
    case .notCompiled(let path, let messages) where Self.trimmed(messages).isEmpty:
      "\(path) does not compile and the compiler printed no message. Check CC, CXX or SWIFTC."
    case .notCompiled(let path, let messages):
      "\(path) does not compile:\n\(Self.trimmed(messages))"
    case .wrongProcess(let file, let line, let fault):
      "\(file):\(line): `process` \(fault). Declare it as"
        + " \(file.hasSuffix(".swift") ? ProcessSignature.inSwift : ProcessSignature.inC)."
        + " Run `outboard help porting` to adapt other code."
    case .timedOut(let path, let seconds):
      "\(path) was not compiled: the compiler timed out after \(seconds) s."
    }
  }

  private static func installHint(_ program: String) -> String {
    switch program {
    case "swiftc": "Swift (swift.org/install)"
    case "cc", "c++": "a compiler (apt-get install g++)"
    default: "it, unset CC, CXX or SWIFTC,"
    }
  }

  private static func trimmed(_ text: String) -> String {
    text.trimming(while: \.isWhitespace)
  }
}

extension ModuleBuildError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}

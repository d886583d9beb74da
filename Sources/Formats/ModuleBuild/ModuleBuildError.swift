// ModuleBuildError.swift: why a source is no plugin. SPDX-License-Identifier: MIT

package import ErrorModel
import FoundationEssentials
import Glibc

/// A source that cannot be made a module.
package enum ModuleBuildError: Equatable {
  /// There is no file, or no source in the folder.
  case missing(path: String)
  /// A pipe or a device, from which reading may never come back.
  case notAFile(path: String)
  /// A folder has none itself; the first folder in it that has any, if there is one.
  case noSource(path: String, deeper: String?)
  /// A folder has Swift beside C.
  case mixed(path: String)
  /// The cache cannot be written.
  case noFolder(path: String)
  /// There is no compiler for the language.
  case noCompiler(program: String, path: String)
  /// The compiler refused; its messages, with file and line.
  case notCompiled(path: String, messages: String)
  /// It compiles, but `process` takes something else than it would be given.
  case wrongProcess(file: String, line: Int, fault: String)
  /// The compiler did not come to an end.
  case endless(path: String, seconds: Int)

  /// Files whose coming may mend it: headers that were missing, beside the files that want them.
  package var awaitedFiles: [String] {
    guard case .notCompiled(_, let messages) = self else { return [] }
    return MissingHeader.all(in: messages).map { header in
      let slash = header.includer.lastIndex(of: "/")
      return (slash.map { String(header.includer[...$0]) } ?? "") + header.name
    }
  }

  /// One sentence for people, with the compiler's messages below it.
  package var description: String {
    switch self {
    case .missing(let path):
      ModuleSource.Language(fileName: path) == nil
        ? "\(path): there is no folder of that name with .c, .cpp or .swift files."
        : "\(path): there is no such file."
    case .notAFile(let path):
      "\(path): this is a pipe or a device; a source is a file or a folder."
    case .noSource(let path, let deeper):
      "\(path): there is no .c, .cpp or .swift file in this folder"
        + (deeper.map { "; there are some in \($0)." } ?? ".")
    case .mixed(let path):
      "\(path): Swift and C in one folder cannot be compiled into one module; give each a folder of"
        + " its own."
    case .noFolder(let path):
      "The folder \(path) for compiled modules cannot be written; set XDG_CACHE_HOME to one that can."
    case .noCompiler(let program, let path):
      "\(path) cannot be compiled: there is no \(program); install \(Self.remedy(program)), or name a"
        + " compiled library."
    case .notCompiled(let path, let messages) where Self.trimmed(messages).isEmpty:
      "\(path) does not compile, and the compiler does not say why; see what CC, CXX or SWIFTC names."
    case .notCompiled(let path, let messages):
      "\(path) does not compile:\n\(Self.trimmed(messages))"
    case .wrongProcess(let file, let line, let fault):
      "\(file):\(line): `process` \(fault); it has to be"
        + " \(file.hasSuffix(".swift") ? ProcessSignature.inSwift : ProcessSignature.inC)."
        + " `outboard help porting` shows how code of another shape becomes a module."
    case .endless(let path, let seconds):
      "\(path) was not compiled, as the compiler did not come to an end within \(seconds) s."
    }
  }

  private static func remedy(_ program: String) -> String {
    switch program {
    case "swiftc": "Swift (swift.org/install)"
    case "cc", "c++": "one (apt-get install g++)"
    default: "it, or take back what CC, CXX or SWIFTC says"
    }
  }

  private static func trimmed(_ text: String) -> String {
    text.trimming(while: \.isWhitespace)
  }
}

extension ModuleBuildError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}

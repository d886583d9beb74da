// ErrorInfo.swift: an error in a reply to a client. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error as a reply carries it.
package struct ErrorInfo: HostError, Codable, Equatable {
  /// The message.
  package var message: String
  /// The exit status of a program that ends because of this error.
  package var status: Int
  /// The kind of error; `failure` if the session is of an older version.
  package var kind: ErrorKind
  /// Names and values that belong to it.
  package var fields: [String: String]

  /// An error by its message.
  package init(message: String, kind: ErrorKind, fields: [String: String] = [:]) {
    (self.message, self.kind, self.fields) = (message, kind, fields)
    status = Int(kind.exitStatus)
  }

  /// An error of any type; a request is taken to be wrong unless the error says otherwise.
  package init(_ error: any Error) {
    if let info = error as? ErrorInfo {
      self = info
    } else if let error = error as? any HostError {
      self.init(message: "\(error)", kind: error.kind, fields: error.fields)
      status = Int(error.exitStatus)
    } else {
      self.init(message: "\(error)", kind: .usage)
    }
  }

  /// The message.
  package var description: String { message }
  /// The status that was sent.
  package var exitStatus: Int32 { Int32(clamping: status) }

  enum CodingKeys: String, CodingKey {
    case message, status, kind, fields
  }

  /// Reads an error; keys that are missing have their usual values.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    message = try values.decode(String.self, forKey: .message)
    let kind = try values.decodeIfPresent(String.self, forKey: .kind)
    self.kind = kind.flatMap(ErrorKind.init) ?? .failure
    status = try values.decodeIfPresent(Int.self, forKey: .status) ?? Int(self.kind.exitStatus)
    fields = try values.decodeIfPresent([String: String].self, forKey: .fields) ?? [:]
  }

  /// Encodes an error; omits fields if there are none.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(message, forKey: .message)
    try values.encode(status, forKey: .status)
    try values.encode(kind, forKey: .kind)
    if !fields.isEmpty { try values.encode(fields, forKey: .fields) }
  }
}

// OpenAPIDocument.swift: the description of the HTTP interface. SPDX-License-Identifier: MIT

import FoundationEssentials
import HostModel

/// The description of the HTTP interface in OpenAPI 3.1, built from the types of commands and replies.
enum OpenAPIDocument {
  /// The path of the document.
  static let path = "/openapi.json"

  /// The document.
  static let data = JSONLine.data(json, isPretty: true)

  private static var json: JSONValue {
    .object(of: [
      ("openapi", .string("3.1.0")),
      (
        "info",
        .object(of: [
          ("title", .string("Outboard session")), ("version", .string("\(Protocol.version)")),
        ])
      ),
      ("paths", .object([])),
    ])
  }
}

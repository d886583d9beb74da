// WebSession+Requests.swift: requests of a test. SPDX-License-Identifier: MIT

import Foundation
import WebTestSupport

extension WebSession {
  /// The usual `Host` header.
  var host: String { "127.0.0.1:\(port)" }

  /// Sends a request and returns the response.
  func request(
    _ line: String, _ headers: [String] = [], body: String = ""
  ) throws -> (status: Int, headers: [String: String], body: String) {
    let client = try RawClient(port: port)
    var all = headers
    if !headers.contains(where: { $0.hasPrefix("Host:") }) { all.append("Host: \(host)") }
    if !body.isEmpty { all.append("Content-Length: \(body.utf8.count)") }
    client.send("\(line) HTTP/1.1\r\n\(all.joined(separator: "\r\n"))\r\n\r\n\(body)")
    return try client.response()
  }

  /// Sends a command over HTTP.
  func post(
    _ body: String, token: String = WebSession.token, type: String = "application/json",
    others: [String] = []
  ) throws -> (status: Int, headers: [String: String], body: String) {
    try request(
      "POST /api/v1/command", ["Authorization: Bearer \(token)", "Content-Type: \(type)"] + others,
      body: body)
  }
}

// WebLimits.swift: the limits of HTTP clients. SPDX-License-Identifier: MIT

import Control

/// The limits of clients that are not trusted yet, and of their messages.
package struct WebLimits: Sendable {
  /// Connections at a time; beyond that the oldest one without a token is closed.
  package var connectionCount = 128
  /// The time for the first request of a connection, and for a response to be read, in seconds.
  package var requestSeconds = 10.0
  /// The time for each further request, in seconds.
  var idleSeconds = 30.0
  /// The time for the first message of a WebSocket, in seconds.
  var signInSeconds = 5.0
  /// The interval between pings, and the time for the answer, in seconds.
  package var pingSeconds = 20.0
  /// The number of pings without an answer after which a connection is closed.
  var unansweredPings = 1
  /// The size of all headers of a request, in bytes.
  var headerBytes = 16_384
  /// The number of headers of a request.
  var headerCount = 64
  /// The size of a body or a WebSocket message, in bytes.
  package var messageBytes = ClientLimits.longestRequestBytes
  /// The size of the first message of a WebSocket, in bytes.
  var signInBytes = 4_096
  /// The number of parts of a WebSocket message.
  var fragmentCount = 64
  /// Commands of the HTTP interface in progress.
  var requestCount = 16
  /// The limits of signed-in clients, as at the Unix socket.
  var client = ClientLimits()

  /// The limits of the program.
  package init() {}
}

// WebArguments.swift: the options of the web server. SPDX-License-Identifier: MIT

import ArgumentParser
import WebServer

/// Options of the HTTP and WebSocket interface.
struct WebArguments: ParsableArguments {
  @Option(
    defaultAsFlag: ListenAddress.loopbackWord,
    help: ArgumentHelp(
      "Serve a web page: a port, address:port, or lan.", valueName: "address"))
  var http: String?
  @Option(help: ArgumentHelp("File with the token of the web page.", valueName: "file"))
  var httpTokenFile: String?

  func validate() throws {
    if http == nil, httpTokenFile != nil {
      throw ValidationError("--http-token-file needs --http.")
    }
  }

  /// Reserves the port; returns nil if no web page is requested.
  ///
  /// A process that continues a session keeps its token. Throws `ListenError`, `TokenFileError` or `ControlError`.
  func prepare(keepsToken: Bool) throws -> PreparedWebServer? {
    try http.map {
      try PreparedWebServer(
        try ListenAddress($0), tokenFile: httpTokenFile, keepsToken: keepsToken)
    }
  }
}

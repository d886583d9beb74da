// JSONValue+Codable.swift: encodes and decodes JSON values with Foundation. SPDX-License-Identifier: MIT

extension JSONValue: Codable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Reads a value; the order of keys is lost.
  package init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try object.allKeys.map { .init($0.stringValue, try object.decode(Self.self, forKey: $0)) })
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let isOn = try? value.decode(Bool.self) {
      self = .bool(isOn)
    } else if let number = try? value.decode(Int.self) {
      self = .integer(number)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else {
      self = .array(try value.decode([Self].self))
    }
  }

  /// Writes a value.
  package func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self {
      var object = encoder.container(keyedBy: Key.self)
      for member in members { try object.encode(member.value, forKey: Key(member.key)) }
      return
    }
    var value = encoder.singleValueContainer()
    switch self {
    case .null, .object: try value.encodeNil()
    case .bool(let isOn): try value.encode(isOn)
    case .integer(let number): try value.encode(number)
    case .number(let number): try value.encode(number)
    case .string(let text): try value.encode(text)
    case .array(let values): try value.encode(values)
    }
  }
}

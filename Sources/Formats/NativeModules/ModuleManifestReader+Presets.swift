// ModuleManifestReader+Presets.swift: a module's files and presets. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension ModuleManifestReader {
  private static let fileKeys = ["symbol", "name", "description"]
  private static let presetKeys = ["name", "parameters"]

  /// Reads the audio files of the module, each as a property of type path.
  static func readFiles(_ cursor: ManifestCursor) -> [Property] {
    let expected = ExpectedValue(
      what: "a list of sound files", example: "- {symbol: impulse, name: Impulse response}")
    var files: [Property] = []
    for item in cursor.items(expected) ?? [] {
      guard let fields = item.fields(known: fileKeys, expected) else { continue }
      let names = readNames(fields, example: ("impulse", "Impulse response"))
      checkUnique(names.symbol, among: files.map(\.uri), of: "files", fields)
      var file = Property(uri: names.symbol, name: names.name, type: .path)
      file.summary =
        fields["description"]?.text(ExpectedValue(what: "text", example: "description: A room."))
        ?? ""
      file.isWritable = true
      files.append(file)
    }
    return files
  }

  /// A command line sets parameters and files alike, by their symbols.
  static func checkNames(_ description: PluginDescription, _ fields: ManifestFields) {
    let symbols = description.parameters.map(\.symbol)
    guard
      let duplicate = description.properties.map(\.uri).first(where: {
        !$0.isEmpty && symbols.contains($0)
      })
    else { return }
    fields["files"]?.report(
      .broken(
        rule: "symbol \"\(duplicate)\" is already used by a parameter. Symbols must be unique."))
  }

  /// Named settings of the parameters; without values if the parameters are not known.
  static func readPresets(
    _ cursor: ManifestCursor, _ parameters: [Parameter]?
  ) -> [ParameterPreset] {
    let expected = ExpectedValue(
      what: "a list of presets", example: "- {name: Large hall, parameters: {decay: 4 s}}")
    var presets: [ParameterPreset] = []
    for item in cursor.items(expected) ?? [] {
      guard let fields = item.fields(known: presetKeys, expected) else { continue }
      let name = ExpectedValue(what: "a name", example: "name: Large hall")
      let text = fields.required("name", example: name.example)?.text(name) ?? ""
      if let duplicate = presets.firstIndex(where: { $0.name.lowercased() == text.lowercased() }),
        !text.isEmpty
      {
        fields["name"]?.report(
          .broken(
            rule:
              "\"\(text)\" is already the name of presets[\(duplicate + 1)]. Names must be unique,"
              + " ignoring case."))
      }
      var values: [ParameterPreset.Value] = []
      if let list = fields["parameters"], let parameters { values = readValues(list, parameters) }
      presets.append(ParameterPreset(name: text, values: values))
    }
    return presets
  }

  private static func readValues(
    _ cursor: ManifestCursor, _ parameters: [Parameter]
  ) -> [ParameterPreset.Value] {
    let expected = ExpectedValue(
      what: "a mapping of symbols to values", example: "parameters: {decay: 4 s}")
    var values: [ParameterPreset.Value] = []
    for field in cursor.entries(expected) ?? [] {
      guard let index = parameters.firstIndex(where: { $0.symbol == field.key }) else {
        field.reportUnknown(known: parameters.map(\.symbol))
        continue
      }
      guard let text = field.value.text(ExpectedValue(what: "a value", example: "decay: 4 s"))
      else {
        continue
      }
      switch ParameterValue.parse(text, for: parameters[index]) {
      case .success(let parsed) where parsed.note == nil:
        values.append(ParameterPreset.Value(parameter: index, value: parsed.value))
      case .success:
        field.value.report(
          .broken(
            rule: "\(field.key) = \(text) is not an allowed value. Allowed:"
              + " \(parameters[index].allowedValues)."))
      case .failure(let error):
        field.value.report(.reported(message: error.description))
      }
    }
    return values
  }
}

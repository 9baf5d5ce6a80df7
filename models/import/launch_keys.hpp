// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/key_fates.hpp"
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"

#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// What the file or the launch of a training sets, by name. Every key is asked for, and told as understood, or told
/// with its fate.
class LaunchKeys
{
public:
  /// Of arguments, a flag is set where it stands there, and 0 is no size; of YAML, 0 and null are as without the key.
  enum class Kind { yaml, toml, arguments };
  struct Key {
    std::string shown, text; // as the report writes it; its value
    int line = 0;
  };
  /// Names of the same thing: the first that is there counts.
  struct Names {
    std::vector<std::string> all;
    Names(const char* name) : all{name} {}
    Names(const std::string& name) : all{name} {}
    Names(std::initializer_list<const char*> names) : all{names.begin(), names.end()} {}
  };

  LaunchKeys(std::string file, ImportContext& context, Kind kind)
      : file_{std::move(file)}, context_{context}, kind_{kind}
  {
  }
  /// Of two with the same name the first counts.
  void add(const std::string& name, Key key) { keys_.try_emplace(name, std::move(key)); }
  /// All settings of a YAML file by the last part of their names, whatever section holds them.
  void add_yaml(const DocumentNode& node, const std::string& path = "");

  /// Null where none is there. Others that are there are told to have no effect.
  const Key* find(const Names& names);
  std::string word(const Names& names, const std::string& otherwise = "");
  /// A size; @p otherwise also where the file says "as many as are left" (-1). What is none is an error of the report.
  int number(const Names& names, int otherwise);
  int size_at(const Key& key, int otherwise);
  /// Whether one of them is set; @p otherwise where none is there.
  bool flag(const Names& names, bool otherwise = false);
  /// Of the key that was found last.
  const ImportPlace& place() const { return place_; }
  /// What nobody asked for.
  void tell_rest(std::span<const KeyFate> fates) const;
  /// The same, with the reason that @p why gives for a name.
  template <class Why>
  void tell_rest_by(const Why& why) const
  {
    for (const auto& [name, key] : keys_)
      if (!used_.contains(name))
        context_.report.ignored(key.shown, std::string{why(name)}, {file_, key.line});
  }

private:
  std::string file_;
  ImportContext& context_;
  Kind kind_;
  std::map<std::string, Key> keys_;
  std::set<std::string> used_;
  ImportPlace place_;
};

} // namespace trainyard

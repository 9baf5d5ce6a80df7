// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/closest.hpp"
#include "models/core/units.hpp"

#include <concepts>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A knob of a policy, collective, training mode…: what the schema, `simrun list` and the GUI show and check.
struct Parameter {
  std::string name;
  /// "number", "integer", "boolean", "name", or a quantity: "duration", "bytes", "bandwidth".
  std::string kind = "number";
  /// As it would be written in a scenario, units included: "5 ms".
  std::string default_value;
  std::string meaning;
  /// Range in the base unit of the kind (s, B, B/s); both ends allowed.
  double minimum = -unbounded;
  double maximum = unbounded;
  /// Where the default comes from (paper, manual, source file of the real system).
  std::string source = {};
  /// For kind "name": what may be written; empty = anything.
  std::vector<std::string> choices = {};

  static constexpr double unbounded = std::numeric_limits<double>::infinity();
};

/// Values of an entry's parameters, converted to base units; what was not given is absent.
class Settings
{
public:
  void set(const std::string& name, double value) { numbers_[name] = value; }
  void set(const std::string& name, std::string value) { names_[name] = std::move(value); }

  bool has(const std::string& name) const { return numbers_.contains(name) || names_.contains(name); }
  double number(const std::string& name, double fallback) const
  {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? fallback : found->second;
  }
  /// Of kind "duration".
  Seconds duration(const std::string& name, Seconds fallback) const { return Seconds{number(name, fallback.value())}; }
  int integer(const std::string& name, int fallback) const { return static_cast<int>(number(name, fallback)); }
  bool flag(const std::string& name, bool fallback) const { return number(name, fallback ? 1 : 0) != 0; }
  std::string text(const std::string& name, const std::string& fallback) const
  {
    const auto found = names_.find(name);
    return found == names_.end() ? fallback : found->second;
  }
  const std::map<std::string, double>& numbers() const { return numbers_; }
  const std::map<std::string, std::string>& names() const { return names_; }

  bool operator==(const Settings&) const = default;

private:
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> names_;
};

/// All implementations of one interface by name. Filled before `main` by TY_REGISTER, constant afterwards, sorted by
/// name.
template <class Interface>
class Registry
{
public:
  struct Entry {
    std::string name;
    std::string description;
    std::vector<Parameter> parameters;
    std::function<std::unique_ptr<Interface>(const Settings&)> create;
  };

  static Registry& instance()
  {
    static Registry registry;
    return registry;
  }

  /// Stops the program when the name is taken: two files use it, which no user can correct.
  bool add(Entry entry)
  {
    const std::string name = entry.name;
    if (!entries_.try_emplace(name, std::move(entry)).second) {
      std::cerr << "trainyard: '" << name << "' is registered twice\n";
      std::abort();
    }
    return true;
  }

  const Entry* find(const std::string& name) const
  {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Throws std::invalid_argument, with a suggestion and the list of names, when there is no such entry.
  std::unique_ptr<Interface> create(const std::string& name, const Settings& settings = {}) const
  {
    const Entry* entry = find(name);
    if (entry == nullptr)
      throw std::invalid_argument{"unknown name '" + name + "'" + did_you_mean(name, names())};
    return entry->create(settings);
  }

  std::vector<std::string> names() const
  {
    std::vector<std::string> result;
    for (const auto& [name, entry] : entries_)
      result.push_back(name);
    return result;
  }

  const std::map<std::string, Entry>& entries() const { return entries_; }

private:
  std::map<std::string, Entry> entries_;
};

/// Builds the registry entry of a class; its optional `static std::vector<Parameter> parameters()` and constructor from
/// Settings are found here.
template <class Interface, class Class>
typename Registry<Interface>::Entry registry_entry(std::string name, std::string description)
{
  typename Registry<Interface>::Entry entry;
  entry.name = std::move(name);
  entry.description = std::move(description);
  if constexpr (requires { Class::parameters(); })
    entry.parameters = Class::parameters();
  entry.create = [](const Settings& settings) -> std::unique_ptr<Interface> {
    if constexpr (std::constructible_from<Class, const Settings&>) {
      return std::make_unique<Class>(settings);
    } else {
      static_cast<void>(settings);
      return std::make_unique<Class>();
    }
  };
  return entry;
}

/// Registers Class as an implementation of Interface; the only line a new policy needs besides its code.
#define TY_REGISTER(Interface, Class, name, description)                                                               \
  [[maybe_unused]] const bool registered_##Class = ::trainyard::Registry<Interface>::instance().add(                   \
      ::trainyard::registry_entry<Interface, Class>(name, description))

} // namespace trainyard

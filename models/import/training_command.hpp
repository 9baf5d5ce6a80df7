// SPDX-License-Identifier: Apache-2.0
// What the images, the command and the names of a training say of it, whatever file they stand in.
#pragma once
#include "models/import/importer.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// --name=value, --name value, or with one dash. A flag without a value has an empty one.
struct CommandFlag {
  std::string written; // with its dashes
  std::string name, value;
};
std::vector<CommandFlag> flags_of(std::span<const std::string> command);
/// Of the first flag with one of these names that has a value; else empty.
std::string flag_value(std::span<const CommandFlag> flags, std::span<const std::string_view> names);

/// Words of a name without its numbers: "tf-ps0" has tf and ps.
std::vector<std::string> words_of_name(const std::string& name);
/// What the name of a service, a flag or a task says: worker, ps, or nothing.
std::string role_named(const std::string& name);
/// The network of the catalogue that a text (image, command) names; empty where none.
std::string model_named_in(const std::string& text);

/// The framework of the jobs where an image is of one ("tensorflow/tensorflow:1.4.0-gpu"); the first counts.
void note_framework(const std::string& image, const ImportPlace& place, ImportContext& context);
/// The same, where something else says it. @p version may be empty.
void set_framework(const std::string& name, const std::string& version, const std::string& by, const ImportPlace& place,
                   ImportContext& context);

/// Network, batch and steps of the job. @p text: images and commands, which may name a network.
void read_training_command(std::span<const CommandFlag> flags, const std::string& text, const ImportPlace& place,
                           ImportContext& context, DraftJob& job);
/// Flags that nothing is made of.
void report_flags(std::span<const CommandFlag> flags, const ImportPlace& place, ImportReport& report);

/// How long a script of a shell waits that does nothing else ("echo begins; sleep 20m"), in seconds; 0 where it does
/// more, so that nobody knows. Commands in the background run beside the others: "sleep 30 & sleep 60" is 60 s, with
/// "wait" behind them the longest counts. Loops, pipes, substitutions and variables in a time are not known.
double sleep_in_script(const std::string& script);

/// The same for a command line: "sleep 30m", or a shell with its script ("bash -c …").
double sleep_in_command(const std::vector<std::string>& words);

} // namespace trainyard

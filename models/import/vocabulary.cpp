// SPDX-License-Identifier: Apache-2.0
// How many words a model knows, by what its launch says. Megatron-LM pads them (megatron/training/tokenizer,
// _vocab_size_with_padding), and so does NeMo.
#include "models/core/text.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/import/training_command.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

/// Words of a tokenizer of one published model, as its file counts them; 0: it is none of these.
int words_of_tokenizer(const std::string& name)
{
  if (const Transformer* known = find_transformer(model_named_in(name)); known != nullptr)
    return known->vocabulary;
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == '-' || c == '_'; });
  for (const auto& [part, words] : {std::pair{"gpt2", 50257},
                                    {"llama3", 128256},
                                    {"llama2", 32000},
                                    {"bertwordpiecelowercase", 30522},
                                    {"bertwordpiececase", 28996}})
    if (plain.find(part) != std::string::npos)
      return words;
  return 0;
}

} // namespace

int padded_vocabulary(const VocabularySays& says, int tp, const ImportPlace& place, ImportReport& report)
{
  if (says.whole > 0)
    return std::min(says.whole, 10'000'000);
  long long words = says.words;
  for (const std::string& name : says.tokenizers)
    if (words = words > 0 ? words : words_of_tokenizer(name); words > 0 && says.words == 0) {
      report.understood(place, "a vocabulary of {} words, by the tokenizer {}", words, clean_text(name).substr(0, 60));
      break;
    }
  if (words == 0) {
    words = 50257;
    report.assumed("a vocabulary of 50,257 words",
                   says.tokenizers.empty() ? "the file does not give it (--vocab-size)"
                                           : "the file does not give it, and its tokenizer is not known here",
                   place);
  }
  const long long step = 1LL * std::clamp(says.multiple, 1, 1'000'000) * std::clamp(tp, 1, 10'000);
  const long long padded = std::min((words + step - 1) / step * step, 10'000'000LL);
  if (padded != words)
    report.understood(place, "vocabulary {} padded to {}, a multiple of {}", words, padded, step);
  return static_cast<int>(padded);
}

} // namespace trainyard

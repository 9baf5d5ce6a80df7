// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace trainyard {

/// Something to be done later. Millions wait in a simulation, so what needs no more than two words lies in here, and
/// moving it copies them; anything else is allocated.
class Callback
{
public:
  Callback() = default;
  template <class Action>
  requires(!std::is_same_v<Action, Callback> && std::is_invocable_v<Action&>)
      Callback(Action action) // NOLINT(google-explicit-constructor): a lambda is one
  {
    if constexpr (sizeof(Action) <= sizeof words_ && alignof(Action) <= alignof(void*) &&
                  std::is_trivially_copyable_v<Action>) {
      std::memcpy(words_.data(), &action, sizeof action);
      call_ = [](const Callback& callback) {
        (*std::launder(reinterpret_cast<const Action*>(callback.words_.data())))();
      };
    } else {
      large_ = std::make_unique<LargeOf<Action>>(std::move(action));
      call_ = [](const Callback& callback) { callback.large_->call(); };
    }
  }

  void operator()() const { call_(*this); }

private:
  struct Large {
    virtual ~Large() = default;
    virtual void call() = 0;
  };
  template <class Action>
  struct LargeOf final : Large {
    explicit LargeOf(Action action) : action_{std::move(action)} {}
    void call() override { action_(); }
    Action action_;
  };

  void (*call_)(const Callback&) = nullptr;
  alignas(void*) std::array<std::byte, 2 * sizeof(void*)> words_{};
  std::unique_ptr<Large> large_;
};

} // namespace trainyard

// result: a value or the std::error_code that explains its absence.
//
// Lives here: result<T>, result<void>; shaped like C++23's std::expected, so that it can be
//          replaced by it one day.
// Errors:  value() of a failed result is our own mistake and asserts.
// Costs:   the value's size and two words; making one with a value calls nothing (a default
//          std::error_code would ask the library for its category each time).
#pragma once

#include <cassert>
#include <optional>
#include <system_error>
#include <utility>

namespace troupe::protocol {

namespace detail {

/// A std::error_code that costs nothing while there is none.
class stored_error {
public:
  constexpr stored_error() noexcept = default;
  stored_error(std::error_code error) noexcept
      : category_{error ? &error.category() : nullptr}, value_{error.value()} {}
  explicit operator bool() const noexcept { return category_ != nullptr; }
  std::error_code get() const noexcept {
    return category_ != nullptr ? std::error_code{value_, *category_} : std::error_code{};
  }

private:
  const std::error_category* category_ = nullptr;
  int value_ = 0;
};

} // namespace detail

template <class T>
class [[nodiscard]] result {
public:
  using value_type = T;

  result(T value) : value_{std::move(value)} {}
  template <class... Args>
  explicit result(std::in_place_t, Args&&... args) : value_{std::in_place, std::forward<Args>(args)...} {}
  result(std::error_code error) noexcept : error_{error} { assert(error); }
  template <class Enum>
    requires std::is_error_code_enum_v<Enum> result(Enum error)
  noexcept : result{make_error_code(error)} {}

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  T& value() & {
    assert(value_);
    return *value_;
  }
  const T& value() const& {
    assert(value_);
    return *value_;
  }
  T&& value() && {
    assert(value_);
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// No error when there is a value.
  std::error_code error() const noexcept { return error_.get(); }

private:
  std::optional<T> value_;
  detail::stored_error error_;
};

template <>
class [[nodiscard]] result<void> {
public:
  using value_type = void;

  result() noexcept = default;
  result(std::error_code error) noexcept : error_{error} {}
  template <class Enum>
    requires std::is_error_code_enum_v<Enum> result(Enum error)
  noexcept : error_{make_error_code(error)} {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  std::error_code error() const noexcept { return error_.get(); }

private:
  detail::stored_error error_;
};

} // namespace troupe::protocol

// result: a value or the std::error_code that explains its absence.
//
// Lives here: result<T>, result<void>; shaped like C++23's std::expected, so that it can be
//          replaced by it one day.
// Errors:  value() of a failed result is our own mistake and asserts.
#pragma once

#include <cassert>
#include <optional>
#include <system_error>
#include <utility>

namespace troupe::protocol {

template <class T>
class [[nodiscard]] result {
public:
  result(T value) : value_{std::move(value)} {}
  result(std::error_code error) noexcept : error_{error} { assert(error); }
  template <class Enum>
    requires std::is_error_code_enum_v<Enum>
  result(Enum error) noexcept : result{make_error_code(error)} {}

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
  std::error_code error() const noexcept { return error_; }

private:
  std::optional<T> value_;
  std::error_code error_;
};

template <>
class [[nodiscard]] result<void> {
public:
  result() noexcept = default;
  result(std::error_code error) noexcept : error_{error} {}
  template <class Enum>
    requires std::is_error_code_enum_v<Enum>
  result(Enum error) noexcept : error_{make_error_code(error)} {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  std::error_code error() const noexcept { return error_; }

private:
  std::error_code error_;
};

} // namespace troupe::protocol

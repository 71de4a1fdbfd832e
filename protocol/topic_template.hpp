// topic_template: a topic filter whose wildcards have names: `plant/{line}/sensors/{id:int}/{*rest}`.
//
// Lives here: topic_template: parsing, the filter to subscribe to, matching with captures.
// Holds:   each `{name}` stands for one level, `{*name}` for all that follow (perhaps none) and comes
//          last. Types: int (32 bits), long (64 bits), bool (true, false), guid (8-4-4-4-12 hexadecimal).
//          Names differ from each other.
// Errors:  errc::invalid_topic_filter for a filter no server takes; errc::invalid_argument for braces,
//          names and types that make no template.
// Costs:   making one allocates; matching does not: captures are views into the topic.
#pragma once

#include "compiled_filter.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

class topic_template {
public:
  static result<topic_template> make(std::string_view text);

  /// The filter with `+` and `#` in the place of names.
  std::string_view filter() const noexcept { return filter_.text(); }
  std::size_t captures() const noexcept { return places_.size(); }
  /// The name of the nth capture, in the order of the topic.
  std::string_view name(std::size_t index) const noexcept { return places_[index].name; }
  /// Where the capture of this name is; captures() if there is none.
  std::size_t position(std::string_view name) const noexcept;

  /// Whether `topic` matches and every capture is of its type; `values` has room for captures().
  bool match(std::string_view topic, std::span<std::string_view> values) const noexcept;

private:
  enum class kind : std::uint8_t { text, int_32, int_64, boolean, guid };
  struct place {
    std::string name;
    kind type;
  };

  static bool is_of(kind type, std::string_view value) noexcept;
  result<void> add(std::string_view inside);
  result<std::string_view> take_level(std::string_view level, bool last);

  compiled_filter filter_;
  std::vector<place> places_;
  bool open_ = false;  // the last place takes the rest
  bool typed_ = false; // some place is not any text
};

} // namespace troupe::protocol

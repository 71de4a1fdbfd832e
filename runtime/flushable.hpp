// flushable: something that has output waiting for the next idle point.
//
// Lives here: flushable, and the list of them that a home keeps.
// Holds:   listed at most once; whoever goes takes himself off the list.
// Threads: belongs to one home's thread.
#pragma once

namespace troupe::runtime {

class flush_list;

class flushable {
public:
  flushable(const flushable&) = delete;
  flushable& operator=(const flushable&) = delete;

  /// Called on the home's thread when nothing else can be done, or every 16 jobs.
  virtual void flush() = 0;
  bool is_listed() const noexcept { return list_ != nullptr; }

protected:
  flushable() = default;
  ~flushable() { leave_list(); }
  void leave_list() noexcept;

private:
  friend class flush_list;

  flush_list* list_ = nullptr;
  flushable* before_ = nullptr;
  flushable* after_ = nullptr;
};

class flush_list {
public:
  flush_list() = default;
  flush_list(const flush_list&) = delete;
  flush_list& operator=(const flush_list&) = delete;
  ~flush_list() {
    while (first_ != nullptr) remove(*first_);
  }

  bool is_empty() const noexcept { return first_ == nullptr; }
  void add(flushable& what) noexcept {
    if (what.list_ != nullptr) return;
    what.list_ = this;
    what.before_ = last_;
    (last_ != nullptr ? last_->after_ : first_) = &what;
    last_ = &what;
  }
  void remove(flushable& what) noexcept {
    (what.before_ != nullptr ? what.before_->after_ : first_) = what.after_;
    (what.after_ != nullptr ? what.after_->before_ : last_) = what.before_;
    what.list_ = nullptr;
    what.before_ = what.after_ = nullptr;
  }
  /// The one that waits longest, off the list; none: null.
  flushable* pop() noexcept {
    auto* result = first_;
    if (result != nullptr) remove(*result);
    return result;
  }

private:
  flushable* first_ = nullptr;
  flushable* last_ = nullptr;
};

inline void flushable::leave_list() noexcept {
  if (list_ != nullptr) list_->remove(*this);
}

} // namespace troupe::runtime

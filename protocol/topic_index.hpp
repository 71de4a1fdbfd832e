// topic_index: filters -> whoever wants a topic; shared by the broker's shards and the client's
// dispatcher.
//
// Lives here: topic_index<Who>: an exact table, a wildcard trie, and results cached in the exact
//          records.
// Holds:   a (filter, who) pair is there at most once; collect() reports every matching pair once.
// Threads: one at a time.
// Errors:  insert refuses filters beyond the caps (levels, wildcards) with errc::filter_too_complex;
//          a look-up stops at its step budget and counts that.
// Costs:   a cached look-up is one hash and one probe; nothing allocates on a look-up that hits.
//
// The body is owned by this room; only the face below is relied upon elsewhere:
//
//   template <class Who /* trivially copyable, == */, class Value = std::monostate>
//   class topic_index {
//   public:
//     struct entry { Who who; Value value; };
//     result<bool> insert(std::string_view filter, Who who, Value value); // true = new, false = replaced
//     bool erase(std::string_view filter, Who who);
//     // calls f(const entry&) for each pair whose filter matches `name`
//     template <class F> void match(std::string_view name, F f);
//     std::size_t size() const;   // pairs
//   };
#pragma once

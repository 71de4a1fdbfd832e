// http_message: the header of one HTTP/1.1 message, when it has come whole.
//
// Lives here: find_http_header(), read_http_request(), read_http_response(), the two types. For sources only:
//          Beast's parser does the work.
// Holds:   a header longer than 8 KB is refused, however it comes.
// Threads: plain functions.
// Errors:  web_errc::header_too_long, web_errc::not_http.
#pragma once

#include "../protocol/result.hpp"
#include "../protocol/slice.hpp"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include <cstddef>

namespace troupe::runtime {

inline constexpr std::size_t largest_http_header = 8192;

using http_request = boost::beast::http::request<boost::beast::http::empty_body>;
using http_response = boost::beast::http::response<boost::beast::http::empty_body>;

/// The size of the header that `heard` begins with; 0: the rest has not come yet.
protocol::result<std::size_t> find_http_header(protocol::octets heard) noexcept;
protocol::result<http_request> read_http_request(protocol::octets header);
/// Of a response to CONNECT or to an upgrade, which has no body that we would read.
protocol::result<http_response> read_http_response(protocol::octets header);

} // namespace troupe::runtime

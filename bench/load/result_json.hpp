// result_json: results as JSON: for other programs, and between a run and the launches it makes.
//
// Lives here: json_of() for a whole run (schema 1), samples_to_json(), add_samples().
// Holds:   what does not apply is null; there is no NaN. Times are nanoseconds per message;
//          `req_per_s` counts two operations a message, as the published tables do.
// Errors:  add_samples answers whether the text was what samples_to_json writes.
#pragma once

#include "environment.hpp"
#include "row.hpp"

#include <span>
#include <string>

namespace troupe::bench {

/// {"schema":1,"environment":{...},"cases":[...]}
std::string json_of(const environment& where, std::span<const row> rows);

/// One row with all samples, as a launch hands it to the run that started it.
std::string samples_to_json(const row& measured);
/// Adds what another launch of the same row measured.
bool add_samples(row& to, const std::string& text);

} // namespace troupe::bench

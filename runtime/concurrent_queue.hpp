// concurrent_queue: moodycamel::ConcurrentQueue, wherever the system keeps it.
//
// Lives here: nothing of ours. Debian 12 and 13 install the header in different folders.
#pragma once

#if __has_include(<concurrentqueue/moodycamel/concurrentqueue.h>)
#include <concurrentqueue/moodycamel/concurrentqueue.h>
#else
#include <concurrentqueue/concurrentqueue.h>
#endif

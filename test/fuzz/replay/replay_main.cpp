// replay_main: runs one fuzz target over the files of its corpus, without a fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  std::size_t files = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator{arguments[i]}) {
      std::ifstream file{entry.path(), std::ios::binary};
      const std::vector<char> text{std::istreambuf_iterator<char>{file}, {}};
      // A buffer of exactly this size, so that a sanitizer sees one octet too many.
      const std::vector<std::uint8_t> bytes(text.begin(), text.end());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++files;
    }
  std::printf("%zu inputs\n", files);
  return files == 0 ? 1 : 0;
}

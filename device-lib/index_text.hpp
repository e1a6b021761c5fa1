// The text of the message about an accessor's index that is not within its range, for devices
// without formatted output in the host's format.
#ifndef SCYTHE_DEVICE_LIBRARY_INDEX_TEXT_HPP
#define SCYTHE_DEVICE_LIBRARY_INDEX_TEXT_HPP

namespace scythe_device_library {

// Writes texts one after the other.
struct text_writer {
  char *next;

  void text(const char *from) {
    for (; *from; ++from)
      *next++ = *from;
  }
  void number(__SIZE_TYPE__ n) {
    char digits[20];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + n % 10);
      n /= 10;
    } while (n != 0);
    while (count > 0)
      *next++ = digits[--count];
  }
  void list(unsigned count, __SIZE_TYPE__ a, __SIZE_TYPE__ b, __SIZE_TYPE__ c) {
    text("{");
    number(a);
    if (count > 1) {
      text(", ");
      number(b);
    }
    if (count > 2) {
      text(", ");
      number(c);
    }
    text("}");
  }
};

// The size of the longest text: six numbers of 20 digits and the words.
constexpr int index_text_size = 192;

// Writes the condition that failed.
inline void write_index_text(char *to, unsigned dimensions, __SIZE_TYPE__ index_0,
                             __SIZE_TYPE__ index_1, __SIZE_TYPE__ index_2, __SIZE_TYPE__ range_0,
                             __SIZE_TYPE__ range_1, __SIZE_TYPE__ range_2) {
  text_writer writer{to};
  writer.text("accessor index ");
  writer.list(dimensions, index_0, index_1, index_2);
  writer.text(" is within range ");
  writer.list(dimensions, range_0, range_1, range_2);
  *writer.next = 0;
}

} // namespace scythe_device_library

#endif

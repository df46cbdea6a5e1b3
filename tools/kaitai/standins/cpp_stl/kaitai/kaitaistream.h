// See kaitaistruct.h: an interface to compile against.
#ifndef KAITAI_STREAM_H
#define KAITAI_STREAM_H

#include <stdint.h>

#include <istream>
#include <string>

namespace kaitai {

class kstream {
public:
    kstream(std::istream *io);
    kstream(const std::string &data);
    bool is_eof() const;
    void seek(uint64_t pos);
    uint64_t pos();
    uint64_t size();
    int8_t read_s1();
    int16_t read_s2be();
    int32_t read_s4be();
    int64_t read_s8be();
    float read_f4be();
    double read_f8be();
    uint8_t read_u1();
    uint16_t read_u2be();
    uint32_t read_u4be();
    uint64_t read_u8be();
    std::string read_bytes(std::streamsize len);
    std::string read_bytes_full();
    static std::string bytes_to_str(const std::string src, const char *src_enc);
};

}  // namespace kaitai

#endif

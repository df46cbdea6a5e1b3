// See kaitaistruct.h: an interface to compile against.
#ifndef KAITAI_EXCEPTIONS_H
#define KAITAI_EXCEPTIONS_H

#include <kaitai/kaitaistream.h>

#include <stdexcept>
#include <string>

namespace kaitai {

class kstruct_error : public std::runtime_error {
public:
    kstruct_error(const std::string what, const std::string src_path);
};

template <typename T>
class validation_not_equal_error : public kstruct_error {
public:
    validation_not_equal_error(const T &expected, const T &actual, kstream *io, const std::string src_path);
};

template <typename T>
class validation_less_than_error : public kstruct_error {
public:
    validation_less_than_error(const T &min, const T &actual, kstream *io, const std::string src_path);
};

template <typename T>
class validation_greater_than_error : public kstruct_error {
public:
    validation_greater_than_error(const T &max, const T &actual, kstream *io, const std::string src_path);
};

template <typename T>
class validation_not_any_of_error : public kstruct_error {
public:
    validation_not_any_of_error(const T &actual, kstream *io, const std::string src_path);
};

}  // namespace kaitai

#endif

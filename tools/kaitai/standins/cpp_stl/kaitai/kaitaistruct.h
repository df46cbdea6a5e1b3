// The interface of Kaitai Struct's C++/STL runtime as far as generated parsers use it, and nothing behind it.
//
// That runtime is in no package registry, so what is generated for C++ is compiled (never linked) against this.
#ifndef KAITAI_STRUCT_H
#define KAITAI_STRUCT_H

#include <kaitai/kaitaistream.h>

#define KAITAI_STRUCT_VERSION 11000L

namespace kaitai {

class kstruct {
public:
    kstruct(kstream *p__io) { m__io = p__io; }
    virtual ~kstruct() {}
    kstream *_io() { return m__io; }

protected:
    kstream *m__io;
};

}  // namespace kaitai

#endif

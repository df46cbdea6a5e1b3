"""Derby's write-ahead log. A beginning: the bytes around records; no scan of a set of files, no recovery."""

"""Derby's write-ahead log: reader, recovery and writer, all editions."""

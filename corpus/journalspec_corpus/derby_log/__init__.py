"""Derby's write-ahead log in the corpus: its author module and its naive reader."""

"""What is true of Derby's write-ahead log."""

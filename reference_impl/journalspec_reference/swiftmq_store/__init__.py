"""SwiftMQ's file store. A beginning: no command reads it yet."""

"""SwiftMQ's file store. A beginning: its reading side; no command reads it yet, and nothing writes it."""

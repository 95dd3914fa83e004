"""Command-line programs: each parses flags and calls the library."""

"""Example programs that run from the shell, one folder for each engine; they print what they measured."""

"""The `dexlab` command."""

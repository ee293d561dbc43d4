"""What a reader sees: figures, explorers, viewers."""

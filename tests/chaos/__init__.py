"""People play for money while everything that can die, dies: `make chaos`."""

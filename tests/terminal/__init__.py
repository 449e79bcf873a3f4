"""Parts of the terminal client that need no server."""

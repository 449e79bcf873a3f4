"""Work that nobody waits for: several copies may run, and none must."""

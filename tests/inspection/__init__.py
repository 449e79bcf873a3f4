"""Every round against its seals: what was tampered with is found and named."""

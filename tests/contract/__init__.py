"""The contract is sound, and the service is as it says."""

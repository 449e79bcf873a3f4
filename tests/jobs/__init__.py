"""Jobs that end rounds, at times that the tests give."""

"""`make bench`: how fast a round is, beside what nothing could be faster than."""

"""Daily seals of the log: a Merkle tree a day, signed, each chained to the former.

The chain of hashes in a round shows what was changed in it; whoever can write the
database can also compute such a chain anew. A seal is signed with a key that is not in
the database, and its root can be kept elsewhere: what it covers can't be written again.
"""

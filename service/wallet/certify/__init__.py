"""Hold an operator's wallet against the contract, case by case, before it is trusted.

Every case begins with ids of its own and gives back what it took.
"""

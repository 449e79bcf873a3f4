"""The maths against what is published, and against the rules themselves."""

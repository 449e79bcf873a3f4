"""The pages of docs say what is so: their commands are run, their numbers computed."""

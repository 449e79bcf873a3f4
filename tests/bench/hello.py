"""The least that Flask can do: what a request costs before Upcard does anything."""

from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello() -> str:
    return "hello"

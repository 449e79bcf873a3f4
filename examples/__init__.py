"""Programs that show how others work with Upcard; the service needs none of them."""

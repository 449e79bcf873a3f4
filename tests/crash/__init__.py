"""What happens when a part of the service is killed while people play."""

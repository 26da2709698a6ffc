"""The web pages for agents."""

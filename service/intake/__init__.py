"""From what a mail server or a help desk hands over to the words that are read."""

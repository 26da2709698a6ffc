"""The HTTP service and its command line. Runs without torch; never imports training."""

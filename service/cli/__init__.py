"""`refund-router`: a module for each command, put together in service.cli.commands."""

"""One module for each built-in command. ``lazy`` names them; each is imported when it is called."""

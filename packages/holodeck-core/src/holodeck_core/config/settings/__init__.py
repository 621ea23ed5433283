"""The execution settings in force and where each was set; variables, and keeping their values out of messages."""

"""``holodeck chat``: a conversation with an agent in the terminal.

It is reached through the hook ``holodeck_commands`` alone; nothing else imports it.
"""

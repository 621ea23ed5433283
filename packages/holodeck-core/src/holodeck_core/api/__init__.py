"""What plugin authors subclass or receive. Import the names from ``holodeck_core``."""

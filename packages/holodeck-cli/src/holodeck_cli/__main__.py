"""``python -m holodeck_cli`` is ``holodeck``."""

from holodeck_cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())

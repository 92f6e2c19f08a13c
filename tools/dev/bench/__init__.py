"""How long quantgate takes, and how much memory."""

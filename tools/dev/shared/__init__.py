"""What several of these programs need."""

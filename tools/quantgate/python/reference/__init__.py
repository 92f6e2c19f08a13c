"""Float references of single ops, and the judgement of what a backend library computed."""

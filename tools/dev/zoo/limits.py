"""From where on numbers are off."""

OFF, NOISES = 0.05, 3.0          # of a model's outputs
BEGINS = 0.025                   # of an activation
ALONE, STEPS = 0.02, 2.5         # of an op alone

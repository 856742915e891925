"""Parameters of a model, and its start, from measured motions."""

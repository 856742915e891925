"""Derivatives of motions: forwards by a few numbers, backwards by many."""

"""Formulas of model files, from functions of Python, from SymPy and as text."""

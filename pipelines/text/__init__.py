"""Readers of bytes, normalisers, labels, options and markup: what every part of the program reads text with."""

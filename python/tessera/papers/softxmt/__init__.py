"""softxmt: draws the results of `tess reproduce softxmt`, whose experiments are one native program."""

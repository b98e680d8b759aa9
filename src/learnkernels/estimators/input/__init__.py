"""Data as the user gives them: validated tables, the order of samples, tables read in parts."""

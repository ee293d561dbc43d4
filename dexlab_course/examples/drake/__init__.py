"""Example programs for Drake."""

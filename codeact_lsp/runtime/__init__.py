"""Calls tools: the way back from names to the wire.

Names come from the same catalogue, config, approval and cache as in the editor. Connections live on
a thread of their own, so one server process serves every event loop of a program.
"""

"""Turns the measured and documented facts about a backend into the YAML files of opdefs/."""

"""What the pytest plugin is made of. Nothing here imports torch before the tests have done so."""

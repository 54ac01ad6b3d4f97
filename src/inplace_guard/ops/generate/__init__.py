"""Makes table.json from the installed torch. The only part of `inplace_guard.ops` that imports torch."""

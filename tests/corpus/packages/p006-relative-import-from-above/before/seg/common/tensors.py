def merge_(skip, up):
    skip += up
    return skip

def merge_(skip, up):
    return skip + up

SMALL = {"width": 4, "slope": 0.1, "classes": 3}

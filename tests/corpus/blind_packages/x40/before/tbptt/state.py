def cut(state):
    return state.detach().clone()


def reset_rows(state, done):
    state[done] = 0.0
    return state

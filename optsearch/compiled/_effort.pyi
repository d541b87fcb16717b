class Effort:
    nodes: int
    subsets: int
    total: int

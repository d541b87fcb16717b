from optsearch.counting.configurations import CellSets

class ChainDual:
    def prices(self, sets: CellSets, limit: int, steps: int) -> tuple[int, list[int]] | None: ...

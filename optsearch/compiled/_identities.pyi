class IdentityTable:
    compared: int
    bytes: int
    def __init__(self, most_bytes: int) -> None: ...

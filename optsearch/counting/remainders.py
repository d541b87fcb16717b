"""Numbers of any size from kernels that count modulo 2^64 and less: Chinese remainders."""

from __future__ import annotations

from math import gcd, prod


def moduli_above(bound: int) -> list[int]:
    """Pairwise coprime moduli of at most 2^64 whose product is above `bound`, 2^64 first."""
    moduli = [1 << 64]
    candidate = (1 << 64) - 1
    while prod(moduli) <= bound:
        if all(gcd(candidate, m) == 1 for m in moduli):
            moduli.append(candidate)
        candidate -= 2
    return moduli


def combined(residues: list[int], moduli: list[int]) -> int:
    """The number below the product of the moduli with these residues (Chinese remainders)."""
    result, product = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        result += product * ((residue - result) * pow(product, -1, modulus) % modulus)
        product *= modulus
    return result

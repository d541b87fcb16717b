"""Chinese remainders: numbers of any size from kernels that count modulo at most 2^64."""

from __future__ import annotations

from math import gcd, prod


def moduli_above(bound: int) -> list[int]:
    """Return coprime moduli of at most 2^64 whose product is above `bound`, 2^64 first."""
    moduli = [1 << 64]
    candidate = (1 << 64) - 1
    while prod(moduli) <= bound:
        if all(gcd(candidate, m) == 1 for m in moduli):
            moduli.append(candidate)
        candidate -= 2
    return moduli


def combine_residues(residues: list[int], moduli: list[int]) -> int:
    """Return the number below the product of the moduli that has these residues."""
    result, product = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        result += product * ((residue - result) * pow(product, -1, modulus) % modulus)
        product *= modulus
    return result

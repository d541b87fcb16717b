"""Chinese remainders: numbers of any size from kernels that count modulo at most 2^64."""

from __future__ import annotations

from math import gcd, prod


def moduli_above(bound: int) -> list[int]:
    """Return coprime moduli of at most 2^64 whose product is above `bound`; the first is 2^64."""
    moduli = [1 << 64]
    candidate = (1 << 64) - 1  # odd numbers alone are coprime to 2^64
    while prod(moduli) <= bound:
        if all(gcd(candidate, modulus) == 1 for modulus in moduli):
            moduli.append(candidate)
        candidate -= 2
    return moduli


def combine_residues(residues: list[int], moduli: list[int]) -> int:
    """Return the number that leaves these remainders when divided by the moduli.

    It is from 0 up, and below the product of the moduli, which are coprime.
    """
    result, product = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        # A multiple of `product` makes the result right for this modulus, and keeps it right for
        # those before.
        factor = (residue - result) * pow(product, -1, modulus) % modulus
        result += product * factor
        product *= modulus
    return result

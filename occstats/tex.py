"""What TeX prints for the characters that mean something to it, or that its fonts lack."""

__all__ = ["COMMANDS"]

COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "−": r"$-$",
    "×": r"$\times$",
    "–": r"--",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
    "ρ": r"$\rho$",
    "²": r"$^2$",
    "Σ": r"$\Sigma$",
    "½": r"$1/2$",
    "…": r"\ldots{}",
}  # fmt: skip

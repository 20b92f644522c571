"""The literature behind the methods, for the text of a paper and its bibliography."""

from dataclasses import dataclass

__all__ = ["REFERENCES", "Reference"]


@dataclass(frozen=True)
class Reference:
    """A work: its citation in the text, and its entry in a bibliography."""

    key: str
    cited: str
    text: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    def bibtex(self) -> str:
        """Return the entry for a ``.bib`` file."""
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{lines}\n}}"


def _article(
    key: str, cited: str, author: str, title: str, journal: str, year: int, volume: str, pages: str
) -> Reference:
    text = f"{author.replace(' and ', ', ')} ({year}). {title}. {journal} {volume}, {pages}."
    fields = (
        ("author", author),
        ("title", "{" + title + "}"),
        ("journal", journal),
        ("year", str(year)),
        ("volume", volume),
        ("pages", pages.replace("–", "--")),
    )
    return Reference(key, cited, text, "article", fields)


# fmt: off
REFERENCES: dict[str, Reference] = {
    reference.key: reference
    for reference in (
        _article(
            "rosner2006", "Rosner, Glynn and Lee, 2006",
            "Rosner, B. and Glynn, R. J. and Lee, M.-L. T.",
            "The Wilcoxon signed rank test for paired comparisons of clustered data",
            "Biometrics", 2006, "62(1)", "185–192",
        ),
        _article(
            "datta2008", "Datta and Satten, 2008",
            "Datta, S. and Satten, G. A.",
            "A signed-rank test for clustered data",
            "Biometrics", 2008, "64(2)", "501–507",
        ),
        _article(
            "jiang2020", "Jiang et al., 2020",
            "Jiang, Y. and Lee, M.-L. T. and He, X. and Rosner, B. and Yan, J.",
            "Wilcoxon rank-based tests for clustered data with R package clusrank",
            "Journal of Statistical Software", 2020, "96(6)", "1–26",
        ),
        _article(
            "wilcoxon1945", "Wilcoxon, 1945",
            "Wilcoxon, F.",
            "Individual comparisons by ranking methods",
            "Biometrics Bulletin", 1945, "1(6)", "80–83",
        ),
        _article(
            "demsar2006", "Demšar, 2006",
            "Demšar, J.",
            "Statistical comparisons of classifiers over multiple data sets",
            "Journal of Machine Learning Research", 2006, "7", "1–30",
        ),
        _article(
            "holm1979", "Holm, 1979",
            "Holm, S.",
            "A simple sequentially rejective multiple test procedure",
            "Scandinavian Journal of Statistics", 1979, "6(2)", "65–70",
        ),
        Reference(
            "westfall1993", "Westfall and Young, 1993",
            "Westfall, P. H., Young, S. S. (1993). Resampling-based multiple testing. Wiley.",
            "book",
            (
                ("author", "Westfall, P. H. and Young, S. S."),
                ("title", "{Resampling-based multiple testing}"),
                ("publisher", "Wiley"),
                ("year", "1993"),
            ),
        ),
        _article(
            "romano2005", "Romano and Wolf, 2005",
            "Romano, J. P. and Wolf, M.",
            "Exact and approximate stepdown methods for multiple hypothesis testing",
            "Journal of the American Statistical Association", 2005, "100(469)", "94–108",
        ),
        _article(
            "canay2017", "Canay, Romano and Shaikh, 2017",
            "Canay, I. A. and Romano, J. P. and Shaikh, A. M.",
            "Randomization tests under an approximate symmetry assumption",
            "Econometrica", 2017, "85(3)", "1013–1030",
        ),
        _article(
            "bahadur1956", "Bahadur and Savage, 1956",
            "Bahadur, R. R. and Savage, L. J.",
            "The nonexistence of certain statistical procedures in nonparametric problems",
            "Annals of Mathematical Statistics", 1956, "27(4)", "1115–1122",
        ),
        Reference(
            "miller2024", "Miller, 2024",
            "Miller, E. (2024). Adding error bars to evals: a statistical approach to language "
            "model evaluations. arXiv:2411.00640.",
            "misc",
            (
                ("author", "Miller, E."),
                ("title", "{Adding error bars to evals: a statistical approach to language model "
                "evaluations}"),
                ("year", "2024"),
                ("eprint", "2411.00640"),
                ("archiveprefix", "arXiv"),
            ),
        ),
        _article(
            "obuchowski1998", "Obuchowski, 1998",
            "Obuchowski, N. A.",
            "On the comparison of correlated proportions for clustered data",
            "Statistics in Medicine", 1998, "17(13)", "1495–1507",
        ),
        _article(
            "durkalski2003", "Durkalski et al., 2003",
            "Durkalski, V. L. and Palesch, Y. Y. and Lipsitz, S. R. and Rust, P. F.",
            "Analysis of clustered matched-pair data",
            "Statistics in Medicine", 2003, "22(15)", "2417–2428",
        ),
        _article(
            "eliasziw1991", "Eliasziw and Donner, 1991",
            "Eliasziw, M. and Donner, A.",
            "Application of the McNemar test to non-independent matched pair data",
            "Statistics in Medicine", 1991, "10(12)", "1981–1991",
        ),
        _article(
            "rubin1981", "Rubin, 1981",
            "Rubin, D. B.",
            "The Bayesian bootstrap",
            "Annals of Statistics", 1981, "9(1)", "130–134",
        ),
        _article(
            "hochberg1988", "Hochberg, 1988",
            "Hochberg, Y.",
            "A sharper Bonferroni procedure for multiple tests of significance",
            "Biometrika", 1988, "75(4)", "800–802",
        ),
        _article(
            "benjamini1995", "Benjamini and Hochberg, 1995",
            "Benjamini, Y. and Hochberg, Y.",
            "Controlling the false discovery rate: a practical and powerful approach to multiple "
            "testing",
            "Journal of the Royal Statistical Society B", 1995, "57(1)", "289–300",
        ),
        _article(
            "benjamini2001", "Benjamini and Yekutieli, 2001",
            "Benjamini, Y. and Yekutieli, D.",
            "The control of the false discovery rate in multiple testing under dependency",
            "Annals of Statistics", 2001, "29(4)", "1165–1188",
        ),
        _article(
            "kendall1945", "Kendall, 1945",
            "Kendall, M. G.",
            "The treatment of ties in ranking problems",
            "Biometrika", 1945, "33(3)", "239–251",
        ),
        Reference(
            "vigna2015", "Vigna, 2015",
            "Vigna, S. (2015). A weighted correlation index for rankings with ties. "
            "Proceedings of the 24th International Conference on World Wide Web, 1166–1176.",
            "inproceedings",
            (
                ("author", "Vigna, S."),
                ("title", "{A weighted correlation index for rankings with ties}"),
                ("booktitle",
                 "Proceedings of the 24th International Conference on World Wide Web"),
                ("year", "2015"),
                ("pages", "1166--1176"),
            ),
        ),
        _article(
            "cameron2015", "Cameron and Miller, 2015",
            "Cameron, A. C. and Miller, D. L.",
            "A practitioner's guide to cluster-robust inference",
            "Journal of Human Resources", 2015, "50(2)", "317–372",
        ),
        _article(
            "bell2002", "Bell and McCaffrey, 2002",
            "Bell, R. M. and McCaffrey, D. F.",
            "Bias reduction in standard errors for linear regression with multi-stage samples",
            "Survey Methodology", 2002, "28(2)", "169–181",
        ),
        _article(
            "pustejovsky2018", "Pustejovsky and Tipton, 2018",
            "Pustejovsky, J. E. and Tipton, E.",
            "Small-sample methods for cluster-robust variance estimation and hypothesis testing in "
            "fixed effects models",
            "Journal of Business & Economic Statistics", 2018, "36(4)", "672–683",
        ),
        _article(
            "mackinnon1985", "MacKinnon and White, 1985",
            "MacKinnon, J. G. and White, H.",
            "Some heteroskedasticity-consistent covariance matrix estimators with improved finite "
            "sample properties",
            "Journal of Econometrics", 1985, "29(3)", "305–325",
        ),
        _article(
            "field2007", "Field and Welsh, 2007",
            "Field, C. A. and Welsh, A. H.",
            "Bootstrapping clustered data",
            "Journal of the Royal Statistical Society B", 2007, "69(3)", "369–390",
        ),
        Reference(
            "davison1997", "Davison and Hinkley, 1997",
            "Davison, A. C., Hinkley, D. V. (1997). Bootstrap methods and their application. "
            "Cambridge University Press.",
            "book",
            (
                ("author", "Davison, A. C. and Hinkley, D. V."),
                ("title", "{Bootstrap methods and their application}"),
                ("publisher", "Cambridge University Press"),
                ("year", "1997"),
            ),
        ),
        _article(
            "miller1974", "Miller, 1974",
            "Miller, R. G.",
            "The jackknife: a review",
            "Biometrika", 1974, "61(1)", "1–15",
        ),
        _article(
            "wilson1927", "Wilson, 1927",
            "Wilson, E. B.",
            "Probable inference, the law of succession, and statistical inference",
            "Journal of the American Statistical Association", 1927, "22(158)", "209–212",
        ),
        _article(
            "hodges1963", "Hodges and Lehmann, 1963",
            "Hodges, J. L. and Lehmann, E. L.",
            "Estimates of location based on rank tests",
            "Annals of Mathematical Statistics", 1963, "34(2)", "598–611",
        ),
        _article(
            "benavoli2017", "Benavoli et al., 2017",
            "Benavoli, A. and Corani, G. and Demšar, J. and Zaffalon, M.",
            "Time for a change: a tutorial for comparing multiple classifiers through Bayesian "
            "analysis",
            "Journal of Machine Learning Research", 2017, "18(77)", "1–36",
        ),
        _article(
            "lenz2021", "Lenz et al., 2021",
            "Lenz, O. U. and Peralta, D. and Cornelis, C.",
            "Average Localised Proximity: a new data descriptor with good default one-class "
            "classification performance",
            "Pattern Recognition", 2021, "118", "107991",
        ),
    )
}
# fmt: on

# Recompute the reference values of the tests directly by clusrank, without the bridge:
#
#     Rscript R/reference_values.R [FOLDER [OUTPUT]]
#
# FOLDER (default tests/reference) has clusrank_cases.json, whose data and arguments are kept and
# whose results are recomputed, and auroc.csv, from which clusrank_paper.csv is computed.
# The two files are written to OUTPUT (default FOLDER). Needs the packages clusrank and jsonlite.
# The values in the repository are from clusrank 1.0-4 on R 4.2.2, with its defects: "greater" of
# exact cases is P(T* > T), and some exact cases are wrong or errors.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) >= 1) arguments[1] else "tests/reference"
output <- if (length(arguments) >= 2) arguments[2] else folder

signed_rank <- function(x, cluster, method, alternative, mu = 0, exact = FALSE) {
    clusrank::clusWilcox.test(x, cluster = cluster, paired = TRUE, method = method,
                              alternative = alternative, mu = mu, exact = exact,
                              B = if (exact) 0 else 2000)
}

# Keep the data and arguments of a case, and replace its results.
answered <- function(case) {
    asked <- case[c("id", "x", "cluster", "method", "alternative", "mu", "exact")]
    heard <- character()
    result <- tryCatch(
        withCallingHandlers(
            signed_rank(unlist(case$x), unlist(case$cluster), case$method, case$alternative,
                        case$mu, case$exact),
            warning = function(condition) {
                heard <<- c(heard, conditionMessage(condition))
                invokeRestart("muffleWarning")
            }),
        error = conditionMessage)
    if (is.character(result)) return(c(asked, list(error = result)))
    variance <- if (case$method == "ds") result$vsrstat else result$VRstat
    c(asked, list(statistic = unname(result$statistic), statistic_name = names(result$statistic),
                  T = unname(result$Rstat), var_T = unname(variance),
                  p_value = unname(result$p.value), nobs = unname(result$nobs),
                  nclus = unname(result$nclus), adjusted = result$adjusted,
                  warnings = if (length(heard)) heard else NULL))
}

cases <- jsonlite::read_json(file.path(folder, "clusrank_cases.json"))
jsonlite::write_json(lapply(cases, answered), file.path(output, "clusrank_cases.json"),
                     auto_unbox = TRUE, digits = NA, null = "null")

# All ordered pairs of the paper's table, with raw differences and with differences rounded to
# nine decimals. Rows are sorted by cluster, as clusrank's "ds" requires.
table <- utils::read.csv(file.path(folder, "auroc.csv"), check.names = FALSE)
table <- table[order(table$dataset), ]
cluster <- as.integer(factor(table$dataset))
algorithms <- c("ALP", "SVM", "NND", "LOF", "MD", "IF", "EIF", "LNND", "SAE")
treatments <- list(raw = identity, rounded9 = function(x) round(x, 9))

tests <- expand.grid(b = algorithms, a = algorithms, method = c("rgl", "ds"),
                     differences = names(treatments), stringsAsFactors = FALSE)
tests <- tests[tests$a != tests$b, c("differences", "method", "a", "b")]
answers <- Map(function(differences, method, a, b) {
    result <- signed_rank(treatments[[differences]](table[[a]] - table[[b]]), cluster, method, "greater")
    data.frame(p = unname(result$p.value), Z = unname(result$statistic), nobs = unname(result$nobs),
               nclus = unname(result$nclus))
}, tests$differences, tests$method, tests$a, tests$b)
utils::write.csv(cbind(tests, do.call(rbind, answers)), file.path(output, "clusrank_paper.csv"),
                 row.names = FALSE)

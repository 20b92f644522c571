# R code of the engines "rpy2" (embedded by rpy2, which sources this file and calls
# clusrank_batch) and "rscript" (which runs this file as a script on CSV files).
# Every number comes from clusrank::clusWilcox.test.
#
#     Rscript clusrank_bridge.R INPUT.csv OUTPUT.csv METHOD ALTERNATIVE
#
# INPUT has the columns x (differences), cluster (whole numbers) and test (number of the test).

# Run all tests of a comparison; return a data frame with one row per test.
# go_on is called before each test, so that an embedded R can be interrupted.
clusrank_batch <- function(x, cluster, test, method, alternative, go_on = function() TRUE) {
    answers <- lapply(split(seq_along(x), test), function(rows) {
        if (!go_on()) stop("interrupted")
        # With "ds", clusrank assumes that rows are sorted by cluster.
        rows <- rows[order(cluster[rows])]
        tryCatch(
            suppressWarnings(one_test(x[rows], cluster[rows], method, alternative)),
            error = function(condition) answer(failure = conditionMessage(condition))
        )
    })
    do.call(rbind, answers)
}

one_test <- function(x, cluster, method, alternative) {
    result <- clusrank::clusWilcox.test(x, cluster = cluster, paired = TRUE, method = method,
                                        alternative = alternative, exact = FALSE)
    z <- unname(result$statistic)
    # "ds" reports no statistic besides Z (its field srstat is TRUE), so compute it from Z.
    variance <- if (method == "ds") result$vsrstat else result$VRstat
    statistic <- if (method == "ds") z * sqrt(variance) else result$Rstat
    answer(statistic, variance, z, result$p.value, result$nobs, result$nclus)
}

answer <- function(result, method) {
    z <- unname(result$statistic)
    # "ds" reports no statistic besides Z (its field srstat is TRUE), so compute it from Z.
    variance <- if (method == "ds") result$vsrstat else result$VRstat
    statistic <- if (method == "ds") z * sqrt(variance) else result$Rstat
    answer(statistic, variance, z, result$p.value, result$nobs, result$nclus)
}

answer <- function(statistic = NA_real_, variance = NA_real_, z = NA_real_, p = NA_real_,
                   observations = NA_real_, clusters = NA_real_, failure = "") {
    data.frame(statistic = as.numeric(statistic), variance = as.numeric(variance), z = as.numeric(z),
               p = as.numeric(p), observations = as.numeric(observations),
               clusters = as.numeric(clusters), failure = failure, row.names = NULL)
}

versions <- function() {
    found <- requireNamespace("clusrank", quietly = TRUE)
    c(R = as.character(getRversion()),
      clusrank = if (found) as.character(utils::packageVersion("clusrank")) else "")
}

main <- function(arguments) {
    names(arguments) <- c("input", "output", "method", "alternative")
    rows <- utils::read.csv(arguments[["input"]], colClasses = c("numeric", "integer", "integer"))
    answers <- clusrank_batch(rows$x, rows$cluster, rows$test, arguments[["method"]],
                              arguments[["alternative"]])
    numbers <- vapply(answers, is.numeric, TRUE)
    answers[numbers] <- lapply(answers[numbers], function(value) sprintf("%.17g", value))
    utils::write.csv(answers, arguments[["output"]], row.names = FALSE, fileEncoding = "UTF-8")
}

# True only when run by Rscript with its arguments, not when sourced.
if (sys.nframe() == 0L && length(commandArgs(trailingOnly = TRUE)) == 4L) {
    main(commandArgs(trailingOnly = TRUE))
}

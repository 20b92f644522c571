# R code of the engines "rpy2" (embedded by rpy2, which sources this file and calls
# clusrank_batch) and "rscript" (which runs this file as a script on CSV files).
# Every number comes from clusrank::clusWilcox.test.
#
#     Rscript clusrank_bridge.R INPUT.csv OUTPUT.csv METHOD NULL ALTERNATIVE RESAMPLES SEED
#
# INPUT has the columns x (differences), cluster (whole numbers) and test (number of the test).

# Run all tests of a comparison; return a data frame with one row per test.
# go_on is called before each test, so that an embedded R can be interrupted.
clusrank_batch <- function(x, cluster, test, method, null, alternative, resamples, seed,
                           go_on = function() TRUE) {
    # Restore the random state for other users of this R process.
    state <- globalenv()$.Random.seed
    on.exit(if (!is.null(state)) assign(".Random.seed", state, envir = globalenv()))
    answers <- lapply(split(seq_along(x), test), function(rows) {
        if (!go_on()) stop("interrupted")
        # With "ds", clusrank assumes that rows are sorted by cluster.
        rows <- rows[order(cluster[rows])]
        tryCatch(
            suppressWarnings(one_test(x[rows], cluster[rows], method, null, alternative, resamples, seed)),
            error = function(condition) answer(failure = conditionMessage(condition))
        )
    })
    do.call(rbind, answers)
}

one_test <- function(x, cluster, method, null, alternative, resamples, seed) {
    if (null == "asymptotic") {
        result <- clusrank::clusWilcox.test(x, cluster = cluster, paired = TRUE, method = method,
                                            alternative = alternative, exact = FALSE)
        return(asymptotic_answer(result, method))
    }
    # clusrank drops zeros from the differences but not from the clusters, and then stops with an error.
    cluster <- cluster[x != 0]
    x <- x[x != 0]
    # clusrank's "greater" is P(T* > T); its "less" of the mirrored differences is P(T* >= T).
    lower <- function(x) {
        set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
        clusrank::clusWilcox.test(x, cluster = cluster, paired = TRUE, method = method,
                                  alternative = "less", exact = TRUE,
                                  B = if (null == "exact") 0 else resamples)
    }
    result <- lower(x)
    p <- switch(alternative,
                less = result$p.value,
                greater = lower(-x)$p.value,
                two.sided = min(1, 2 * result$p.value, 2 * lower(-x)$p.value))
    answer(statistic = result$statistic, p = p, observations = result$nobs, clusters = result$nclus)
}

asymptotic_answer <- function(result, method) {
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
    names(arguments) <- c("input", "output", "method", "null", "alternative", "resamples", "seed")
    rows <- utils::read.csv(arguments[["input"]], colClasses = c("numeric", "integer", "integer"))
    answers <- clusrank_batch(rows$x, rows$cluster, rows$test, arguments[["method"]],
                              arguments[["null"]], arguments[["alternative"]],
                              as.integer(arguments[["resamples"]]), as.integer(arguments[["seed"]]))
    numbers <- vapply(answers, is.numeric, TRUE)
    answers[numbers] <- lapply(answers[numbers], function(value) sprintf("%.17g", value))
    utils::write.csv(answers, arguments[["output"]], row.names = FALSE, fileEncoding = "UTF-8")
}

# True only when run by Rscript with its arguments, not when sourced.
if (sys.nframe() == 0L && length(commandArgs(trailingOnly = TRUE)) == 7L) {
    main(commandArgs(trailingOnly = TRUE))
}

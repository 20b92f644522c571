# Install clusrank, for the engines "rpy2" and "rscript", from CRAN:
#
#     Rscript R/install.R
#
# `occstats doctor` prints the command for an installed occstats. The script does the same as
# install.packages("clusrank"): it uses a personal library if the system's is not writable, and the
# configured mirror or else R's default.

least <- "0.6-2"
if (requireNamespace("clusrank", quietly = TRUE) && utils::packageVersion("clusrank") >= least) {
    message("clusrank ", utils::packageVersion("clusrank"), " is already installed.")
    quit(status = 0)
}
if (getRversion() < "4.0") {
    stop("clusrank needs R 4.0 or later; this is R ", getRversion(), ".", call. = FALSE)
}

repositories <- getOption("repos")
if (!"CRAN" %in% names(repositories) || repositories[["CRAN"]] == "@CRAN@") {
    # Without a mirror R would ask for one; 1 is the automatic choice.
    utils::chooseCRANmirror(ind = 1)
}

library_path <- .libPaths()[1]
if (file.access(library_path, mode = 2) != 0) {
    library_path <- Sys.getenv("R_LIBS_USER")
    dir.create(library_path, recursive = TRUE, showWarnings = FALSE)
    .libPaths(c(library_path, .libPaths()))
}
utils::install.packages("clusrank", lib = library_path)

if (!requireNamespace("clusrank", quietly = TRUE)) {
    stop("clusrank did not install: see above, and try install.packages(\"clusrank\") in R.",
         call. = FALSE)
}
message("clusrank ", utils::packageVersion("clusrank"), " is installed; `occstats doctor` should see it.")

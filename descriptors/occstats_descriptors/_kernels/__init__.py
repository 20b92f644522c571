"""Compiled kernels, and the blocks of rows and threads that they run on."""

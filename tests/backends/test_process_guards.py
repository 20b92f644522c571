import os

from occstats.backends.embedded_r import own_environment


def test_starting_r_leaves_the_environment_as_it_was_but_for_its_own(monkeypatch):
    monkeypatch.setenv("OCCSTATS_KEPT", "mine")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setenv("R_HOME", "nowhere")
    with own_environment():
        os.environ["LD_LIBRARY_PATH"] = "another Python's libraries"
        os.environ["OCCSTATS_KEPT"] = "theirs"
        os.environ["R_HOME"] = "where R is"
    assert "LD_LIBRARY_PATH" not in os.environ
    assert os.environ["OCCSTATS_KEPT"] == "mine"
    assert os.environ["R_HOME"] == "where R is"

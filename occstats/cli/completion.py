"""``occstats completion``: the script that teaches a shell to complete commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    \b
    bash   eval "$(occstats completion bash)"   in ~/.bashrc
    zsh    eval "$(occstats completion zsh)"    in ~/.zshrc
    fish   occstats completion fish | source    in ~/.config/fish/config.fish
    """
    from occstats.cli.group import main

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(main, {}, "occstats", "_OCCSTATS_COMPLETE").source())

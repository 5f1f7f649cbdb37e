"""`medexams completion`: the script that makes a shell complete commands, options and run ids."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from pipelines.cli.command import command

SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the script that makes SHELL complete commands, options and run ids.

    \b
    Examples:
      eval "$(medexams completion bash)"                      in ~/.bashrc
      eval "$(medexams completion zsh)"                       in ~/.zshrc
      medexams completion fish > ~/.config/fish/completions/medexams.fish
    """
    main = click.get_current_context().find_root().command
    click.echo(SHELLS[shell](main, {}, "medexams", "_MEDEXAMS_COMPLETE").source())

"""What all commands share: options, and how an error becomes one sentence and an exit code.

Exit codes: 0 done; 1 a check failed or something could not be read (one sentence says what and what to do); 2 wrong
usage; 130 interrupted; 141 the reader of the output went away.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from pipelines.cli.output import STYLES, echo_sentence, take_any_encoding
from pipelines.errors import MedexamsError, SettingsError
from pipelines.text.printable import printable

INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit codes as a shell has them for a program that Ctrl-C ended, or whose reader went away."""


def _debug_option() -> click.Option:
    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta["medexams.debug"] = True  # one for all contexts of a call

    help_text = "Show the traceback of an error."
    return click.Option(["--debug"], is_flag=True, expose_value=False, callback=remember, help=help_text)


def _verbose_option() -> click.Option:
    def listen(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not ctx.meta.get("medexams.verbose"):
            ctx.meta["medexams.verbose"] = True
            handler = logging.StreamHandler()  # standard error
            handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", datefmt="%H:%M:%S"))
            logger = logging.getLogger("pipelines")
            logger.addHandler(handler)
            logger.setLevel(logging.INFO)
            ctx.find_root().call_on_close(lambda: logger.removeHandler(handler))

    help_text = "Say what is fetched, read, matched and written, and how long it took."
    return click.Option(["--verbose"], is_flag=True, expose_value=False, callback=listen, help=help_text)


def _quiet_option() -> click.Option:
    def hush(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta["medexams.quiet"] = True

    help_text = "Show no progress (where standard error is not a terminal there is none)."
    return click.Option(["--quiet"], is_flag=True, expose_value=False, callback=hush, help=help_text)


def _shared_options() -> list[click.Parameter]:
    return [_verbose_option(), _quiet_option(), _debug_option()]


class Command(click.Command):
    """A command that takes --verbose, --quiet and --debug too, so that they may stand before or after its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _shared_options()


class Group(click.Group):
    """Turns the errors that a person meets into one sentence and an exit code."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _shared_options()

    def main(self, *args: Any, **kwargs: Any) -> Any:
        take_any_encoding()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except click.UsageError as error:
            raise click.UsageError(printable(error.format_message()), error.ctx) from error
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("medexams: interrupted; what was published is as it was", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            with suppress(OSError, ValueError):  # or Python complains of it once more when it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        except Exception as error:
            if ctx.meta.get("medexams.debug"):
                raise
            known = isinstance(error, MedexamsError)
            what = str(error) if known else _defect(error)
            echo_sentence(f"medexams: {what}", err=True)
            ctx.exit(2 if isinstance(error, SettingsError) else 1)


def _defect(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0][:300]
    return f"a defect of medexams: {type(error).__name__}: {first}; --debug shows where, please report it"


def data_option(wrapped: Callable[..., Any]) -> Callable[..., Any]:
    """--data, which every command that touches a data folder takes."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="Data folder (default: MEDEXAMS_DATA, or ./data).",
    )(wrapped)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


def style_options(*styles: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--format with `styles` (STYLES where none is named; the first is the default), and --json."""
    styles = styles or STYLES
    choice = click.Choice(styles)
    form = click.option("--format", "style", type=choice, default=styles[0], show_default=True, help="How to print it.")
    json_too = click.option("--json", "style", flag_value="json", help="The same as --format json.")
    return lambda wrapped: form(json_too(wrapped))


def command(name: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """click.command for a command outside a group's module."""
    return click.command(name, cls=Command)

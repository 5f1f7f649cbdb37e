"""From a stored response to the text that a person would take as the answer.

Here: width and look-alike characters, thinking blocks, control tokens, markup (Markdown, HTML, LaTeX), answers
marked as such by the format (``\\boxed``, ``<answer>``). Not here: JSON (structured), what the text says (mentions) and
which option it means (labels).
Everything is one pass over the text, or a regex whose repeats are bounded: hostile input costs no more than its
length.
"""

import json
import math
import re
import unicodedata

from pipelines.answers.phrases import any_of, either, words

CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩"
FINAL = "\ue000"  # stands before what the response's format itself marks as the answer
_BULK = 100_000  # characters in which thinking is looked for
LONGEST = 8_000  # characters of a response that are read: a person looks at both ends

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_LOOKALIKES = str.maketrans(
    {
        **dict(zip("АВСЕавсе", "ABCEabce", strict=True)),  # Cyrillic
        **dict(zip("❶❷❸❹❺❻❼❽❾❿", CIRCLED, strict=True)),
        **dict(zip("➀➁➂➃➄➅➆➇➈➉", CIRCLED, strict=True)),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\ufffd\ue000"),  # no width, or no character at all
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "〜": "~",
        "〔": "【",
        "〕": "】",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "\r": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
        "\x0c": "\n",
    }
)
_SPAN = re.compile(r"(\b[A-Za-z]|\d)[–—](?=[A-Za-z]\b|\d)")  # a dash between ends: "A–D"
_KEPT = re.compile(f"[^{CIRCLED}{_SUPERSCRIPTS}]+")


def normalise(text: str) -> str:
    """NFKC, but circled and superscript digits stay what they are; look-alikes of letters and dashes become the
    plain ones."""
    text = _SPAN.sub(r"\1~", text).translate(_LOOKALIKES)
    if text.isascii():
        return text
    return _KEPT.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text).translate(_LOOKALIKES)


def as_text(value: object) -> str:
    """Any stored value as text: None and NaN are empty, a list is its items, a mapping is its JSON."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(map(str, value)) if isinstance(value, (set, frozenset)) else [as_text(v) for v in value]
        return ", ".join(items)
    if isinstance(value, dict):
        try:
            return json.dumps(value, ensure_ascii=False, default=str)
        except (TypeError, ValueError, RecursionError):
            return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


# ---- thinking and control tokens -------------------------------------------------------------------------------------

_THOUGHT = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection)"
_TOKEN = re.compile(
    rf"""
      (?P<open> <\s?{_THOUGHT}\s?> | \[THINK\] | <\|START_THINKING\|> | ◁think▷ | <unused94>
              | <\|channel\|>\s?(?:analysis|commentary)[^<\n]{{0,80}}<\|message\|> )
    | (?P<close> </\s?{_THOUGHT}\s?> | \[/THINK\] | <\|END_THINKING\|> | ◁/think▷ )
    | (?P<late_close> <unused95> )
    | (?P<final> <\|channel\|>\s?final[^<\n]{{0,80}}<\|message\|> | assistantfinal )
    | (?P<control> <\|[^|<>\n]{{0,60}}(?:\|>|(?=<\|)) | <unused\d+> | </?s> | <(?:bos|eos|pad)>
              | <(?:start|end)_of_turn>(?:(?:user|model)\b)? | \[/?INST\]
              | <｜[^｜<>\n]{{0,60}}｜> | <\|[^|<>\n]{{1,60}}> )
    """,
    re.X | re.I,
)
# Where the tokens themselves were lost: "thought⏎…", "analysisWe need …assistantfinalc".
_THINKS = re.compile(r"\s{0,9}(?:thought\n|(?:assistant)?analysis(?=[A-Z\"'\u3040-\u9fff]))")
_BOX = re.compile(r"<\|begin_of_box\|>([^<\n]{0,400})<\|end_of_box\|>", re.I)
_ROLE = re.compile(r"\s{0,9}(assistant|model|final|user|system|human|developer)\b[ \t:]{0,4}(?=\n|$)", re.I)
_GLUED_ROLE = re.compile(r"(?<=[A-Za-z0-9).。])assistant(?=\s{0,4}(?:\n|$))")
_THEY = frozenset({"user", "system", "human", "developer"})


def spoken(text: str) -> str:
    """What the model said to the reader: no thinking, no control token, nothing of what follows the end of its turn.

    An opening tag that is never closed swallows the rest; a closing tag that was never opened (the template opened it)
    disowns what stands before it. The first stretch with any text in it is the turn: the rest is a runaway model.
    """
    text = _BOX.sub(lambda m: f"\n{FINAL}{m[1]}\n", text)
    turns: list[str] = []
    turn: list[str] = []
    last = len(text.rstrip())
    at, thinking, harmony = 0, _THINKS.match(text) is not None, False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if thinking:
            ends = kind in ("close", "late_close", "final")
            if ends or (harmony and token[0].lower() in ("<|end|>", "<|start|>")):
                thinking, at = False, token.end()
            continue
        turn.append(text[at : token.start()])
        at = token.end()
        if kind == "open":
            thinking, harmony = True, token[0].startswith("<|channel")
        elif kind in ("close", "final") or (kind == "late_close" and sum(map(len, turn)) > 40):
            # disown what came before, unless nothing follows
            if at < last:
                turns, turn = [], []
        else:
            turns.append("".join(turn))
            turn = []
            role, said = _role(turns[-1])
            if role not in _THEY and said.strip():
                break
    else:
        if not thinking:
            turn.append(text[at:])
        turns.append("\n".join(turn) if len(turn) > 1 else "".join(turn))
    for spoken_turn in turns:
        role, said = _role(spoken_turn)
        if said.strip() and role not in _THEY:
            return _GLUED_ROLE.split(said, maxsplit=1)[0] or said
    return ""


def _role(turn: str) -> tuple[str | None, str]:
    found = _ROLE.match(turn)
    return (found[1].lower(), turn[found.end() :]) if found else (None, turn)


# ---- markup ----------------------------------------------------------------------------------------------------------

_BOLD_TAG = re.compile(r"<(b|i|u|em|strong)>([^<]{0,400})</\1>", re.I)
_TAG = re.compile(
    r"</?(?:p|span|div|ul|ol|li|br|em|strong|sub|sup|h[1-6]|code|pre|hr|table|t[rdh]|answer|final_answer)\b[^<>\n]{0,80}>",
    re.I,
)
_MACRO = re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathsf|mathit|textit|bf|rm|bold|underline)\s?\{([^{}\n]{0,200})\}")
_BOXED = re.compile(r"\\f?box(?:ed)?\s?(?:\{([^{}\n]{0,200})\}|([A-Za-z0-9]\b))")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}\n]{0,60})\}\s?\{([^{}\n]{0,60})\}")
_LATEX = {
    r"\times": "×", r"\cdot": "×", r"\div": "÷", r"\approx": "≈", r"\fallingdotseq": "≈", r"\simeq": "≈", r"\sim": "≈",
    r"\rightarrow": "→", r"\to": "→", r"\Rightarrow": "→", r"\%": "%", r"\,": " ", r"\;": " ", r"\ ": " ", r"\!": "",
    r"\quad": " ", r"\(": " ", r"\)": " ", r"\[": " ", r"\]": " ", r"\left": "", r"\right": "", r"\{": "{", r"\}": "}",
    r"\mu": "μ", r"\therefore": "∴ ", r"\\": "\n",
}  # fmt: skip
_LATEX_WORD = re.compile(r"\\(?:[a-zA-Z]+|[%,; !()\[\]{}\\])")
_LINE_MARK = re.compile(
    r"^[ \t>]*(?:#{1,6}[ \t]*)?(?:(?:[-+•●◆■▶►✅☑✔➡→⇒∴◦‣▪*]|・)+[ \t]+|[•●◆■▶►✅☑✔➡→⇒∴・▪])?[ \t]*", re.M
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_VERDICT_MARKS = re.compile(r"^[ \t>]*(?:[-+*][ \t]+)?[×✗✘❌✕]", re.M)
_TABLE_ROW = re.compile(r"^[ \t]*\|([^\n]*)$", re.M)


def plain(text: str) -> str:
    """The text without Markdown, HTML and LaTeX. What the format marks as the answer gets its own line after FINAL."""
    if "<" in text:
        tagged = re.compile(rf"<(\w{{0,12}}{either(words().answers)}\w{{0,12}})>([^<]{{0,400}})(?:</\1>|$)", re.I)
        text = tagged.sub(lambda m: f"\n{FINAL}{m[2].strip()}\n", text)
        text = _BOLD_TAG.sub(r"\2", text)
        text = re.sub(r"<br\s?/?>", "\n", text, flags=re.I)
        text = _TAG.sub(" ", text)
    if "\\" in text:
        for _ in range(2):
            text = _MACRO.sub(r"\1", text)
        text = _FRACTION.sub(r"(\1)/(\2)", text)
        text = _unbox(text)
        text = _LATEX_WORD.sub(lambda m: _LATEX.get(m[0], " "), text)
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    text = text.replace("**", "").replace("__", "").replace("`", "").replace("$", "")
    if _VERDICT_MARKS.search(text):  # then the ticks at the start of other lines are verdicts too
        text = re.sub(r"[☑✔✅]", "○", text)
    text = _LINE_MARK.sub("", text)
    text = text.replace("*", "") if "*" in text and not re.search(r"\d\s?\*\s?[\d(]", text) else text
    if "|" in text:
        text = _TABLE_ROW.sub(lambda m: " : ".join(cell.strip() for cell in m[1].strip(" |\t").split("|")), text)
    return text


def _unbox(text: str) -> str:
    r"""Each ``\boxed{…}`` on a line of its own after FINAL; boxes with nothing but commas between them share one line."""  # noqa: E501
    joint = any_of((r"[\s,;、$]{0,12}",), tuple(rf"[\s$]{{0,9}}(?:{p})[\s$]{{0,9}}" for p in words().conjunctions))
    out: list[str] = []
    at = 0
    for box in _BOXED.finditer(text):
        between = text[at : box.start()]
        joined = bool(out) and len(between) < 12 and joint.fullmatch(between)
        out.append(", " if joined else ("\n" if out else "") + between + "\n" + FINAL)
        out.append((box[1] or box[2] or "").strip())
        at = box.end()
    return "".join(out) + ("\n" if out else "") + text[at:]


def clean(text: str) -> str:
    """What the model said, without thinking and control tokens, of at most LONGEST characters; empty where it said
    nothing outside its thinking. Markup is still in it (plain)."""
    if len(text) > _BULK:
        text = text[: _BULK // 2] + "\n\n" + text[-_BULK // 2 :]
    said = spoken(normalise(text))
    if len(said) > LONGEST:
        said = said[: LONGEST // 2] + "\n\n" + said[-LONGEST // 2 :]
    return said

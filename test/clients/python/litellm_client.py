import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it is downloaded

import litellm
from checks import (
    CITY,
    KEY,
    LIMITED_KEY,
    QUESTION,
    SILENT,
    URL,
    WRONG_KEY,
    equal,
    failure,
    failure_of_limit,
    includes,
    ok,
    run_checks,
)

litellm.suppress_debug_info = True
litellm.telemetry = False

MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]
OPENAI = {"api_base": f"{URL}/v1", "num_retries": 0, "max_retries": 0}
ANTHROPIC = {"api_base": URL, "num_retries": 0, "max_retries": 0}
PLACES = [("openai/gpt-4o-mini", OPENAI), ("anthropic/claude-sonnet-4-5", ANTHROPIC)]


def ask(model, place=OPENAI, key=KEY, **more):
    return litellm.completion(model=model, messages=MESSAGES, api_key=key, **place, **more)


def unary():
    for model, place in PLACES:
        answer = ask(model, place)
        includes(answer.choices[0].message.content, QUESTION)
        ok(answer.usage.total_tokens > 0, "expected usage")


def stream():
    for model, place in PLACES:
        chunks = ask(model, place, stream=True)
        includes("".join(chunk.choices[0].delta.content or "" for chunk in chunks), QUESTION)


def tools():
    for model, place in PLACES:
        call = ask(model, place, tools=TOOLS).choices[0].message.tool_calls[0]
        equal(call.function.name, "get_weather")


def embeddings():
    answer = litellm.embedding(model="openai/text-embedding-3-small", input=["one", "two"], api_key=KEY, **OPENAI)
    equal(len(answer.data), 2)


def error_401():
    failure(lambda: ask("openai/gpt-4o-mini", key=WRONG_KEY), litellm.AuthenticationError)
    failure(lambda: ask("anthropic/claude-sonnet-4-5", ANTHROPIC, WRONG_KEY), litellm.AuthenticationError)


def error_400():
    failure(lambda: ask("openai/mock-fail-400"), litellm.BadRequestError)


def error_404():
    failure(lambda: ask("anthropic/mock-fail-404", ANTHROPIC), litellm.NotFoundError)


def error_429():
    failure(lambda: ask("openai/mock-fail-429"), litellm.RateLimitError)
    failure_of_limit(lambda: ask("openai/gpt-4o-mini", key=LIMITED_KEY), litellm.RateLimitError)


def cancel():
    failure(lambda: ask(f"openai/{SILENT}", timeout=0.5), litellm.Timeout)


run_checks(
    ["litellm"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "embeddings": embeddings,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

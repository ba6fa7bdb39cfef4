from checks import (
    CITY,
    ENDLESS,
    KEY,
    LIMITED_KEY,
    QUESTION,
    URL,
    WRONG_KEY,
    equal,
    failure,
    failure_of_limit,
    includes,
    ok,
    run_checks,
)
from portkey_ai import Portkey


def client_of(key):
    # Its headers begin with x-portkey-, which the gateway accepts as another prefix.
    return Portkey(api_key=key, base_url=f"{URL}/v1", provider="@openai")


client = client_of(KEY)
MODEL = "gpt-4o-mini"
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]


def ask(model, asking=client, **more):
    return asking.chat.completions.create(model=model, messages=MESSAGES, **more)


def unary():
    includes(ask(MODEL).choices[0].message.content, QUESTION)
    named = ask("@anthropic/claude-sonnet-4-5", max_tokens=100)
    includes(named.choices[0].message.content, QUESTION)


def stream():
    chunks = ask(MODEL, stream=True)
    includes("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), QUESTION)


def tools():
    call = ask(MODEL, tools=TOOLS).choices[0].message.tool_calls[0]
    equal(call.function.name, "get_weather")


def embeddings():
    equal(len(client.embeddings.create(model="text-embedding-3-small", input=["one", "two"]).data), 2)


def models():
    ok(client.models.list().data, "expected models")


def files():
    stored = client.files.create(file=("a.jsonl", b'{"a":1}\n'), purpose="batch")
    equal(stored.bytes, 8)
    equal(client.files.retrieve(stored.id).filename, "a.jsonl")


def status_of(error):
    return getattr(error, "status_code", None)


def error_401():
    equal(status_of(failure(lambda: ask(MODEL, client_of(WRONG_KEY)), Exception)), 401)


def error_400():
    equal(status_of(failure(lambda: ask("mock-fail-400"), Exception)), 400)


def error_404():
    equal(status_of(failure(lambda: ask("mock-fail-404"), Exception)), 404)


def error_429():
    equal(status_of(failure_of_limit(lambda: ask(MODEL, client_of(LIMITED_KEY)), Exception)), 429)


def cancel():
    chunks = ask(ENDLESS, stream=True)
    ok(next(iter(chunks)).choices, "expected a chunk")
    chunks.response.close()


run_checks(
    ["portkey-ai"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "embeddings": embeddings,
        "models": models,
        "files": files,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

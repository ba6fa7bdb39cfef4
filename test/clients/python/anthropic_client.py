import anthropic
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
    positive_seconds,
    run_checks,
)


def client_of(key):
    return anthropic.Anthropic(base_url=URL, api_key=key, max_retries=0)


client = client_of(KEY)
# Paths that several vendors have go to the provider that a header names.
NAMED = {"x-gw-provider": "@anthropic"}
MODEL = "claude-sonnet-4-5"
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"name": "get_weather", "input_schema": CITY}]


def ask(model, asking=client):
    return asking.messages.create(model=model, messages=MESSAGES, max_tokens=100)


def unary():
    answer = ask(MODEL)
    includes(answer.content[0].text, QUESTION)
    equal(answer.stop_reason, "end_turn")
    ok(client.messages.count_tokens(model=MODEL, messages=MESSAGES).input_tokens > 0, "expected a count")


def stream():
    with client.messages.stream(model=MODEL, messages=MESSAGES, max_tokens=100) as events:
        includes(events.get_final_text(), QUESTION)
        ok(events.get_final_message().usage.output_tokens > 0, "expected usage")


def tools():
    asked = client.messages.create(model=MODEL, messages=MESSAGES, max_tokens=100, tools=TOOLS)
    call = next(block for block in asked.content if block.type == "tool_use")
    equal(call.name, "get_weather")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "18 degrees"}
    told = [*MESSAGES, {"role": "assistant", "content": asked.content}, {"role": "user", "content": [result]}]
    answer = client.messages.create(model=MODEL, messages=told, max_tokens=100, tools=TOOLS)
    includes(answer.content[0].text, "18 degrees")


def across():
    other = {"model": "@openai/gpt-4o-mini", "max_tokens": 100, "tools": TOOLS}
    with client.messages.stream(messages=MESSAGES, **other) as events:
        asked = events.get_final_message()
    equal(asked.stop_reason, "tool_use")
    call = next(block for block in asked.content if block.type == "tool_use")
    equal(call.name, "get_weather")
    ok(isinstance(call.input["city"], str), "expected a city")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "18 degrees"}
    told = [*MESSAGES, {"role": "assistant", "content": asked.content}, {"role": "user", "content": [result]}]
    with client.messages.stream(messages=told, **other) as events:
        includes(events.get_final_text(), "18 degrees")
        answer = events.get_final_message()
    equal(answer.stop_reason, "end_turn")
    ok(answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0, "expected usage")


def models():
    listed = list(client.models.list(extra_headers=NAMED))
    ok(listed and all(model.display_name for model in listed), "expected names")


def files():
    stored = client.beta.files.upload(file=("a.txt", b"Hello", "text/plain"), extra_headers=NAMED)
    equal(stored.size_bytes, 5)
    equal(client.beta.files.download(stored.id, extra_headers=NAMED).read(), b"Hello")
    client.beta.files.delete(stored.id, extra_headers=NAMED)


def error_401():
    error = failure(lambda: ask(MODEL, client_of(WRONG_KEY)), anthropic.AuthenticationError)
    equal(error.body["error"]["type"], "authentication_error")


def error_400():
    failure(lambda: ask("mock-fail-400"), anthropic.BadRequestError)


def error_404():
    failure(lambda: client.models.retrieve("no-such-model", extra_headers=NAMED), anthropic.NotFoundError)


def error_429():
    failure(lambda: ask("mock-fail-429"), anthropic.RateLimitError)
    error = failure_of_limit(lambda: ask(MODEL, client_of(LIMITED_KEY)), anthropic.RateLimitError)
    equal(error.body["error"]["type"], "rate_limit_error")
    positive_seconds(error.response.headers.get("retry-after"))


def cancel():
    with client.messages.create(model=ENDLESS, messages=MESSAGES, max_tokens=1_000, stream=True) as endless:
        ok(next(iter(endless)).type, "expected an event")


run_checks(
    ["anthropic"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "across": across,
        "models": models,
        "files": files,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

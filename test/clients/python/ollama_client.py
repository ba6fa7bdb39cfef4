import ollama
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

OWN = "@ollama/mock-small"
MODELS = ["gpt-4o-mini", "@anthropic/claude-sonnet-4-5", "@google/gemini-2.5-flash", OWN]
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]


def client_of(key):
    return ollama.Client(host=URL, headers={"authorization": f"Bearer {key}"})


client = client_of(KEY)


def ask(model, asking=client):
    return asking.chat(model=model, messages=MESSAGES)


def unary():
    for model in MODELS:
        answer = ask(model)
        includes(answer.message.content, QUESTION)
        equal(answer.done_reason, "stop")
        ok(answer.eval_count > 0, "expected usage")
        includes(client.generate(model=model, prompt=QUESTION).response, QUESTION)
    answer = client.chat(
        model=OWN, messages=MESSAGES, options={"num_ctx": 8192}, keep_alive="1m", think=True, logprobs=True
    )
    ok(answer.message.thinking and answer.logprobs, "expected thinking and log probabilities")
    ok(answer.load_duration > 0 and answer.eval_duration > 0, "expected the durations of the server")
    equal(client.chat(model=OWN, messages=[], keep_alive=0).done_reason, "unload")


def stream():
    for model in MODELS:
        lines = list(client.chat(model=model, messages=MESSAGES, stream=True))
        includes("".join(line.message.content or "" for line in lines), QUESTION)
        ok(lines[-1].done and lines[-1].eval_count > 0, "expected usage at the end")
    lines = client.chat(model=OWN, messages=MESSAGES, think="low", stream=True)
    includes("".join(line.message.thinking or "" for line in lines), "I am a mock")


def tools():
    for model in MODELS:
        lines = client.chat(model=model, messages=MESSAGES, tools=TOOLS, stream=True)
        said = [line.message for line in lines if line.message.tool_calls]
        equal(len(said), 1)
        call = said[0].tool_calls[0].function
        equal(call.name, "get_weather")
        ok(isinstance(call.arguments["city"], str), "expected a city")
        result = {"role": "tool", "tool_name": "get_weather", "content": "18 degrees"}
        answer = client.chat(model=model, messages=[*MESSAGES, said[0], result], tools=TOOLS)
        includes(answer.message.content, "18 degrees")


def embeddings():
    vectors = client.embed(model="text-embedding-3-small", input=["one", "two"]).embeddings
    equal(len(vectors), 2)
    ok(len(vectors[0]) > 100, "expected vectors")
    asked = {"input": "one", "dimensions": 8, "truncate": False, "options": {"num_ctx": 512}}
    equal(len(client.embed(model="@ollama/mock-embedding", **asked).embeddings[0]), 8)


def models():
    listed = client.list().models
    ok(listed and all(model.model for model in listed), "expected models")


def error_401():
    equal(failure(lambda: ask(MODELS[0], client_of(WRONG_KEY)), ollama.ResponseError).status_code, 401)


def error_400():
    equal(failure(lambda: ask("mock-fail-400"), ollama.ResponseError).status_code, 400)


def error_404():
    equal(failure(lambda: ask("mock-fail-404"), ollama.ResponseError).status_code, 404)


def error_429():
    equal(failure(lambda: ask("mock-fail-429"), ollama.ResponseError).status_code, 429)
    limited = client_of(LIMITED_KEY)
    equal(failure_of_limit(lambda: ask(MODELS[0], limited), ollama.ResponseError).status_code, 429)


def cancel():
    lines = client.chat(model=ENDLESS, messages=MESSAGES, stream=True)
    ok(next(lines).message.content, "expected a line")
    lines.close()


run_checks(
    ["ollama"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "embeddings": embeddings,
        "models": models,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

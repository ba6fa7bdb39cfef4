import json

import cohere
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
from cohere.core.api_error import ApiError

MODELS = ["gpt-4o-mini", "@anthropic/claude-sonnet-4-5", "@google/gemini-2.5-flash"]
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]
ONCE = {"max_retries": 0}


def client_of(key):
    return cohere.ClientV2(api_key=key, base_url=URL, log_warning_experimental_features=False)


client = client_of(KEY)


def ask(model, asking=client):
    return asking.chat(model=model, messages=MESSAGES, request_options=ONCE)


def unary():
    for model in MODELS:
        answer = ask(model)
        includes(answer.message.content[0].text, QUESTION)
        equal(answer.finish_reason, "COMPLETE")
        ok(answer.usage.tokens.output_tokens > 0, "expected usage")


def stream():
    for model in MODELS:
        events = list(client.chat_stream(model=model, messages=MESSAGES))
        pieces = [event.delta.message.content.text for event in events if event.type == "content-delta"]
        includes("".join(pieces), QUESTION)
        equal(events[-1].type, "message-end")
        ok(events[-1].delta.usage.tokens.output_tokens > 0, "expected usage at the end")


def tools():
    for model in MODELS:
        events = list(client.chat_stream(model=model, messages=MESSAGES, tools=TOOLS))
        called = [event.delta.message.tool_calls for event in events if event.type == "tool-call-start"]
        equal([call.function.name for call in called], ["get_weather"])
        pieces = [event.delta.message.tool_calls for event in events if event.type == "tool-call-delta"]
        ok(json.loads("".join(piece.function.arguments for piece in pieces))["city"], "expected a city")
        asked = client.chat(model=model, messages=MESSAGES, tools=TOOLS).message
        told = {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": "18 degrees"}
        answer = client.chat(model=model, messages=[*MESSAGES, asked, told], tools=TOOLS)
        includes(answer.message.content[0].text, "18 degrees")


def embeddings():
    answer = client.embed(
        model="text-embedding-3-small",
        texts=["one", "two"],
        input_type="search_document",
        embedding_types=["float"],
    )
    equal(len(answer.embeddings.float_), 2)
    ok(len(answer.embeddings.float_[0]) > 100, "expected vectors")


def rerank():
    documents = ["the weather in Rome", "the weather in Paris"]
    results = client.rerank(model="@cohere/rerank-v3.5", query=QUESTION, documents=documents, top_n=1).results
    equal([result.index for result in results], [1])


def error_401():
    failure(lambda: ask(MODELS[0], client_of(WRONG_KEY)), cohere.UnauthorizedError)


def error_400():
    failure(lambda: ask("mock-fail-400"), cohere.BadRequestError)


def error_404():
    failure(lambda: ask("mock-fail-404"), cohere.NotFoundError)


def error_429():
    failure(lambda: ask("mock-fail-429"), cohere.TooManyRequestsError)
    limited = client_of(LIMITED_KEY)
    error = failure_of_limit(lambda: ask(MODELS[0], limited), ApiError)
    equal(error.status_code, 429)


def cancel():
    events = client.chat_stream(model=ENDLESS, messages=MESSAGES)
    equal(next(events).type, "message-start")
    events.close()


run_checks(
    ["cohere"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "embeddings": embeddings,
        "rerank": rerank,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

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

# At Cohere, and across providers.
MODEL = "@cohere/command-a-03-2025"
OTHERS = ["gpt-4o-mini", "@anthropic/claude-sonnet-4-5", "@google/gemini-2.5-flash"]
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]
DOCUMENTS = [{"id": "d1", "data": {"text": "It is sunny in Paris"}}]
ONCE = {"max_retries": 0}


def client_of(key):
    return cohere.ClientV2(api_key=key, base_url=URL, log_warning_experimental_features=False)


client = client_of(KEY)


def ask(model, asking=client):
    return asking.chat(model=model, messages=MESSAGES, request_options=ONCE)


def check_answer(model):
    answer = ask(model)
    includes(answer.message.content[0].text, QUESTION)
    equal(answer.finish_reason, "COMPLETE")
    ok(answer.usage.tokens.output_tokens > 0, "expected usage")


def streamed(**request):
    """The deltas of a stream, by the type of their events."""
    events = list(client.chat_stream(messages=MESSAGES, **request))
    equal(events[-1].type, "message-end")
    return lambda kind: [event.delta for event in events if event.type == kind]


def check_stream(model):
    deltas = streamed(model=model)
    includes("".join(delta.message.content.text for delta in deltas("content-delta")), QUESTION)
    ok(deltas("message-end")[0].usage.tokens.output_tokens > 0, "expected usage at the end")


def check_tools(model):
    deltas = streamed(model=model, tools=TOOLS)
    called = [delta.message.tool_calls for delta in deltas("tool-call-start")]
    equal([call.function.name for call in called], ["get_weather"])
    pieces = [delta.message.tool_calls.function.arguments for delta in deltas("tool-call-delta")]
    ok(json.loads("".join(pieces))["city"], "expected a city")
    asked = client.chat(model=model, messages=MESSAGES, tools=TOOLS).message
    told = {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": "18 degrees"}
    answer = client.chat(model=model, messages=[*MESSAGES, asked, told], tools=TOOLS).message
    includes(answer.content[0].text, "18 degrees")
    return asked, answer, deltas


def check_citation(citations, kind, source):
    equal(len(citations), 1)
    ok(citations[0].text, "expected a cited text")
    equal([citations[0].sources[0].type, citations[0].sources[0].id], [kind, source])


def embed(model, kinds):
    texts = ["one", "two"]
    return client.embed(
        model=model, texts=texts, input_type="search_document", embedding_types=kinds
    ).embeddings


def check_embeddings(model):
    vectors = embed(model, ["float"]).float_
    equal(len(vectors), 2)
    ok(len(vectors[0]) > 100, "expected vectors")


def unary():
    check_answer(MODEL)
    message = client.chat(model=MODEL, messages=MESSAGES, documents=DOCUMENTS).message
    check_citation(message.citations, "document", "d1")


def stream():
    check_stream(MODEL)
    deltas = streamed(model=MODEL, documents=DOCUMENTS)
    citations = [delta.message.citations for delta in deltas("citation-start")]
    check_citation(citations, "document", "d1")


def tools():
    asked, answer, deltas = check_tools(MODEL)
    includes(asked.tool_plan, "get_weather")
    equal("".join(delta.message.tool_plan for delta in deltas("tool-plan-delta")), asked.tool_plan)
    check_citation(answer.citations, "tool", f"{asked.tool_calls[0].id}:0")


def across():
    for model in OTHERS:
        check_answer(model)
        check_stream(model)
        check_tools(model)
    check_embeddings("text-embedding-3-small")


def embeddings():
    check_embeddings("@cohere/embed-v4.0")
    vectors = embed("@cohere/embed-v4.0", ["int8", "ubinary"])
    equal([len(vectors.int8), len(vectors.ubinary)], [2, 2])


def rerank():
    documents = ["the weather in Rome", "the weather in Paris"]
    results = client.rerank(model="@cohere/rerank-v3.5", query=QUESTION, documents=documents, top_n=1).results
    equal([result.index for result in results], [1])


def error_401():
    failure(lambda: ask(MODEL, client_of(WRONG_KEY)), cohere.UnauthorizedError)


def error_400():
    failure(lambda: ask("@cohere/mock-fail-400"), cohere.BadRequestError)


def error_404():
    failure(lambda: ask("@cohere/mock-fail-404"), cohere.NotFoundError)


def error_429():
    failure(lambda: ask("@cohere/mock-fail-429"), cohere.TooManyRequestsError)
    limited = client_of(LIMITED_KEY)
    error = failure_of_limit(lambda: ask(MODEL, limited), ApiError)
    equal(error.status_code, 429)


def cancel():
    events = client.chat_stream(model=f"@cohere/{ENDLESS}", messages=MESSAGES)
    equal(next(events).type, "message-start")
    events.close()


run_checks(
    ["cohere"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "across": across,
        "embeddings": embeddings,
        "rerank": rerank,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

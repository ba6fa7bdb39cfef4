import io

from checks import (
    CITY,
    ENDLESS,
    KEY,
    LIMITED_KEY,
    QUESTION,
    WRONG_KEY,
    equal,
    failure,
    failure_of_limit,
    includes,
    ok,
    run_checks,
)
from google.genai import errors, types

TOOL = types.Tool(function_declarations=[{"name": "get_weather", "parameters_json_schema": CITY}])


def check_sdk(client_of, asked_models, embedder, is_native):
    """`client_of`: an SDK of Google with this key; `is_native`: the paths of the provider itself are called."""
    client = client_of(KEY)
    model = asked_models[0]

    def ask(asked, asking=None):
        return (asking or client).models.generate_content(model=asked, contents=QUESTION)

    def unary():
        for asked in asked_models:
            answer = ask(asked)
            includes(answer.text, QUESTION)
            ok(answer.usage_metadata.total_token_count > 0, "expected usage")
        if is_native:
            ok(client.models.count_tokens(model=model, contents=QUESTION).total_tokens > 0, "expected a count")

    def stream():
        for asked in asked_models:
            chunks = client.models.generate_content_stream(model=asked, contents=QUESTION)
            includes("".join(chunk.text or "" for chunk in chunks), QUESTION)

    def tools():
        calling = types.AutomaticFunctionCallingConfig(disable=True)
        config = types.GenerateContentConfig(tools=[TOOL], automatic_function_calling=calling)
        for asked in asked_models:
            answer = client.models.generate_content(model=asked, contents=QUESTION, config=config)
            equal(answer.function_calls[0].name, "get_weather")

    def embeddings():
        answer = client.models.embed_content(model=embedder, contents=["one", "two"])
        equal(len(answer.embeddings), 2)

    def models():
        listed = [model.name for model in client.models.list()]
        ok(listed and all(name.startswith("models/") for name in listed), "expected models")

    def files():
        stored = client.files.upload(file=io.BytesIO(b"Hello"), config={"mime_type": "text/plain"})
        equal(stored.size_bytes, 5)
        equal(client.files.get(name=stored.name).name, stored.name)
        client.files.delete(name=stored.name)

    def error_401():
        equal(failure(lambda: ask(model, client_of(WRONG_KEY)), errors.ClientError).code, 401)

    def error_400():
        equal(failure(lambda: ask("mock-fail-400"), errors.ClientError).code, 400)

    def error_404():
        equal(failure(lambda: client.models.get(model="no-such-model"), errors.ClientError).code, 404)

    def error_429():
        equal(failure(lambda: ask("mock-fail-429"), errors.ClientError).code, 429)
        equal(failure_of_limit(lambda: ask(model, client_of(LIMITED_KEY)), errors.ClientError).code, 429)

    def cancel():
        chunks = client.models.generate_content_stream(model=ENDLESS, contents=QUESTION)
        ok(next(iter(chunks)).text, "expected a chunk")
        chunks.close()

    run_checks(
        ["google-genai"],
        {
            "unary": unary,
            "stream": stream,
            "tools": tools,
            "embeddings": embeddings,
            "models": models,
            **({"files": files} if is_native else {}),
            "error 401": error_401,
            "error 400": error_400,
            "error 404": error_404,
            "error 429": error_429,
            "cancel": cancel,
        },
    )

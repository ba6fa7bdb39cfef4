import openai
from checks import (
    CITY,
    ENDLESS,
    KEY,
    LIMITED_KEY,
    QUESTION,
    SILENT,
    WRONG_KEY,
    equal,
    failure,
    failure_of_limit,
    includes,
    ok,
    positive_seconds,
    run_checks,
)


MODEL = "gpt-4o-mini"
MESSAGES = [{"role": "user", "content": QUESTION}]
# Files are kept by one provider: the config of the key, which has two, is not asked.
KEPT_BY_OPENAI = {"x-gw-provider": "@openai"}
# One with the API of responses, and two whose providers have formats of their own.
RESPONDING = [MODEL, "@anthropic/claude-sonnet-4-5", "@google/gemini-2.5-flash"]
RESPONSE_TOOLS = [{"type": "function", "name": "get_weather", "parameters": CITY, "strict": False}]
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]


def check_sdk(client_of):
    """`client_of`: an SDK of OpenAI with this key."""
    client = client_of(KEY)

    def ask(model, asking=None):
        return (asking or client).chat.completions.create(model=model, messages=MESSAGES)

    def unary():
        answer = ask(MODEL)
        includes(answer.choices[0].message.content, QUESTION)
        ok(answer.usage.total_tokens > 0, "expected usage")
        for model in RESPONDING:
            response = client.responses.create(model=model, input=QUESTION)
            includes(response.output_text, QUESTION)
            ok(response.usage.total_tokens > 0, f"expected usage of {model}")

    def stream():
        text = ""
        usage = None
        options = {"include_usage": True}
        for chunk in client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True, stream_options=options):
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            usage = chunk.usage or usage
        includes(text, QUESTION)
        ok(usage.total_tokens > 0, "expected usage")
        for model in RESPONDING:
            with client.responses.stream(model=model, input=QUESTION) as events:
                final = events.get_final_response()
            includes(final.output_text, QUESTION)
            ok(final.usage.total_tokens > 0, f"expected usage of {model}")

    def tools():
        asked = client.chat.completions.create(model=MODEL, messages=MESSAGES, tools=TOOLS).choices[0].message
        call = asked.tool_calls[0]
        equal(call.function.name, "get_weather")
        result = {"role": "tool", "tool_call_id": call.id, "content": "18 degrees"}
        told = client.chat.completions.create(model=MODEL, messages=[*MESSAGES, asked, result], tools=TOOLS)
        includes(told.choices[0].message.content, "18 degrees")
        for model in RESPONDING:
            with client.responses.stream(model=model, input=MESSAGES, tools=RESPONSE_TOOLS) as events:
                output = events.get_final_response().output
            used = next(item for item in output if item.type == "function_call")
            equal(used.name, "get_weather")
            known = {"type": "function_call", "call_id": used.call_id, "name": used.name, "arguments": used.arguments}
            outcome = {"type": "function_call_output", "call_id": used.call_id, "output": "18 degrees"}
            answered = client.responses.create(model=model, input=[*MESSAGES, known, outcome], tools=RESPONSE_TOOLS)
            includes(answered.output_text, "18 degrees")

    def embeddings():
        data = client.embeddings.create(model="text-embedding-3-small", input=["one", "two"]).data
        equal(len(data), 2)
        ok(len(data[0].embedding) > 100, "expected vectors")

    def models():
        listed = list(client.models.list())
        ok(listed and all(model.object == "model" for model in listed), "expected models")

    def files():
        text = b'{"a":1}\n'
        stored = client.files.create(file=("a.jsonl", text), purpose="batch", extra_headers=KEPT_BY_OPENAI)
        equal(stored.bytes, len(text))
        equal(client.files.content(stored.id, extra_headers=KEPT_BY_OPENAI).content, text)
        ok(stored.id in [other.id for other in client.files.list(extra_headers=KEPT_BY_OPENAI)], "expected the file in the list")
        equal(client.files.delete(stored.id, extra_headers=KEPT_BY_OPENAI).deleted, True)

    def moderations():
        results = client.moderations.create(input=["kind words", "pure violence"]).results
        equal([result.flagged for result in results], [False, True])

    def images():
        made = client.images.generate(model="gpt-image-1", prompt="a cat", n=2)
        equal(len(made.data), 2)
        types = [event.type for event in client.images.generate(model="gpt-image-1", prompt="a cat", stream=True)]
        equal(types, ["image_generation.completed"])
        edited = client.images.edit(model="gpt-image-1", prompt="a hat", image=("a.png", b"image"))
        equal(len(edited.data), 1)
        equal(len(client.images.create_variation(image=("a.png", b"image")).data), 1)

    def audio():
        sound = client.audio.speech.create(model="tts-1", voice="alloy", input="Hello").content
        ok(len(sound) > 1000, "expected sound")
        recorded = {"model": "whisper-1", "file": ("a.mp3", sound)}
        includes(client.audio.transcriptions.create(**recorded).text, f"{len(sound)} bytes")
        includes(client.audio.transcriptions.create(**recorded, response_format="text"), f"{len(sound)} bytes")
        events = list(client.audio.transcriptions.create(**recorded, stream=True))
        equal(events[-1].type, "transcript.text.done")
        includes(client.audio.translations.create(**recorded).text, f"{len(sound)} bytes")

    def error_401():
        error = failure(lambda: ask(MODEL, client_of(WRONG_KEY)), openai.AuthenticationError)
        ok(error.response.headers.get("x-gw-trace-id"), "expected the trace id")

    def error_400():
        failure(lambda: ask("mock-fail-400"), openai.BadRequestError)
        broken = client.with_options(default_headers={"x-gw-config": "no-such-config"})
        failure(lambda: ask(MODEL, broken), openai.BadRequestError)

    def error_404():
        failure(lambda: client.files.retrieve("file-none", extra_headers=KEPT_BY_OPENAI), openai.NotFoundError)
        failure(lambda: client.models.retrieve("no-such-model"), openai.NotFoundError)

    def error_429():
        failure(lambda: ask("mock-fail-429"), openai.RateLimitError)
        error = failure_of_limit(lambda: ask(MODEL, client_of(LIMITED_KEY)), openai.RateLimitError)
        positive_seconds(error.response.headers.get("retry-after"))

    def cancel():
        with client.chat.completions.create(model=ENDLESS, messages=MESSAGES, stream=True) as endless:
            ok(next(iter(endless)).choices, "expected a chunk")
        failure(lambda: ask(SILENT, client.with_options(timeout=0.5)), openai.APITimeoutError)

    run_checks(
        ["openai"],
        {
            "unary": unary,
            "stream": stream,
            "tools": tools,
            "embeddings": embeddings,
            "models": models,
            "files": files,
            "moderations": moderations,
            "images": images,
            "audio": audio,
            "error 401": error_401,
            "error 400": error_400,
            "error 404": error_404,
            "error 429": error_429,
            "cancel": cancel,
        },
    )

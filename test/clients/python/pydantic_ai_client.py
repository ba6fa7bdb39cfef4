import asyncio

from anthropic import AsyncAnthropic
from checks import (
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
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.embeddings import Embedder
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


def openai_of(key):
    return OpenAIProvider(openai_client=AsyncOpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0))


def chat(model, key=KEY):
    return OpenAIChatModel(model, provider=openai_of(key))


def responses(model, key=KEY):
    return OpenAIResponsesModel(model, provider=openai_of(key))


def messages(model, key=KEY):
    client = AsyncAnthropic(base_url=URL, api_key=key, max_retries=0)
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def gemini(model, key=KEY):
    return GoogleModel(model, provider=GoogleProvider(base_url=URL, api_key=key))


NATIVE = [chat("gpt-4o-mini"), responses("gpt-4o-mini"), messages("claude-sonnet-4-5")]
ACROSS = [
    chat("@anthropic/claude-sonnet-4-5"),
    responses("@anthropic/claude-sonnet-4-5"),
    responses("@google/gemini-2.5-flash"),
    messages("@openai/gpt-4o-mini"),
    messages("@google/gemini-2.5-flash"),
    gemini("@openai/gpt-4o-mini"),
    gemini("@anthropic/claude-sonnet-4-5"),
]


class Place(BaseModel):
    city: str
    population: int


def unary():
    for model in NATIVE:
        answer = Agent(model).run_sync(QUESTION)
        includes(answer.output, QUESTION)
        ok(answer.usage.output_tokens > 0, "expected usage")
        told = Agent(model, output_type=Place).run_sync(QUESTION).output
        equal(told.city, "Paris")


def stream():
    for model in NATIVE:
        read_stream(model)


def read_stream(model):
    async def read():
        async with Agent(model).run_stream(QUESTION) as answer:
            text = "".join([piece async for piece in answer.stream_text(delta=True)])
        includes(text, QUESTION)
        ok(answer.usage.output_tokens > 0, "expected usage")

    LOOP.run_until_complete(read())


def tools():
    for model in NATIVE:
        use_tool(model)


def across():
    for model in ACROSS:
        read_stream(model)
        use_tool(model)


def use_tool(model):
    agent = Agent(model)
    asked = []

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """The weather of a city."""
        asked.append(city)
        return "18 degrees"

    includes(agent.run_sync(QUESTION).output, "18 degrees")
    equal(asked, ["Paris"])


def embeddings():
    embedder = Embedder(OpenAIEmbeddingModel("text-embedding-3-small", provider=openai_of(KEY)))
    equal(len(embedder.embed_documents_sync(["one", "two"]).embeddings), 2)


def status_of(model):
    return failure(lambda: Agent(model).run_sync(QUESTION), ModelHTTPError).status_code


def error_401():
    for model_of in [chat, responses]:
        equal(status_of(model_of("gpt-4o-mini", WRONG_KEY)), 401)
    equal(status_of(messages("claude-sonnet-4-5", WRONG_KEY)), 401)
    equal(status_of(gemini("gpt-4o-mini", WRONG_KEY)), 401)


def error_400():
    for model_of in [chat, responses, messages, gemini]:
        equal(status_of(model_of("mock-fail-400")), 400)


def error_404():
    for model_of in [chat, responses, messages, gemini]:
        equal(status_of(model_of("mock-fail-404")), 404)


def error_429():
    limited = Agent(chat("gpt-4o-mini", LIMITED_KEY))
    equal(failure_of_limit(lambda: limited.run_sync(QUESTION), ModelHTTPError).status_code, 429)


def cancel():
    async def leave(model):
        async with Agent(model).run_stream(QUESTION) as answer:
            async for _ in answer.stream_text(delta=True, debounce_by=None):
                break

    for model_of in [chat, messages]:
        LOOP.run_until_complete(leave(model_of(ENDLESS)))


# Connections belong to the loop that opened them.
LOOP = asyncio.new_event_loop()
asyncio.set_event_loop(LOOP)
run_checks(
    ["pydantic-ai-slim"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "across": across,
        "embeddings": embeddings,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

import functools
import operator

import anthropic
import openai
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
    positive_seconds,
    run_checks,
)
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings


def chat(model, key=KEY):
    return ChatOpenAI(model=model, api_key=key, base_url=f"{URL}/v1", max_retries=0, stream_usage=True)


def messages(model, key=KEY):
    return ChatAnthropic(model=model, api_key=key, base_url=URL, max_retries=0, max_tokens=1_000)


CHATS = [chat("gpt-4o-mini"), messages("claude-sonnet-4-5")]
# Each API over models that have another one.
ACROSS = [chat("@anthropic/claude-sonnet-4-5"), messages("@openai/gpt-4o-mini"), messages("@google/gemini-2.5-flash")]


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"18 degrees in {city}"


def unary():
    for model in CHATS:
        answer = model.invoke(QUESTION)
        includes(answer.text, QUESTION)
        ok(answer.usage_metadata["total_tokens"] > 0, "expected usage")


def joined(chunks):
    return functools.reduce(operator.add, chunks)


def stream():
    for model in CHATS:
        whole = joined(model.stream(QUESTION))
        includes(whole.text, QUESTION)
        ok(whole.usage_metadata["total_tokens"] > 0, "expected usage")


def tools():
    for model in CHATS:
        use_tool(model)


def across():
    for model in ACROSS:
        use_tool(model)


def use_tool(model):
    bound = model.bind_tools([get_weather])
    asked = joined(bound.stream(QUESTION))
    call = asked.tool_calls[0]
    equal(call["name"], "get_weather")
    ok(isinstance(call["args"]["city"], str), "expected a city")
    told = [HumanMessage(QUESTION), asked, ToolMessage("18 degrees", tool_call_id=call["id"])]
    includes(bound.invoke(told).text, "18 degrees")


def embeddings():
    embedding = OpenAIEmbeddings(
        model="text-embedding-3-small",
        api_key=KEY,
        base_url=f"{URL}/v1",
        max_retries=0,
        check_embedding_ctx_length=False,  # would download the tokenizer
    )
    equal(len(embedding.embed_documents(["one", "two"])), 2)


def error_401():
    failure(lambda: chat("gpt-4o-mini", WRONG_KEY).invoke(QUESTION), openai.AuthenticationError)
    failure(lambda: messages("claude-sonnet-4-5", WRONG_KEY).invoke(QUESTION), anthropic.AuthenticationError)


def error_400():
    failure(lambda: chat("mock-fail-400").invoke(QUESTION), openai.BadRequestError)
    failure(lambda: messages("mock-fail-400").invoke(QUESTION), anthropic.BadRequestError)


def error_404():
    failure(lambda: chat("mock-fail-404").invoke(QUESTION), openai.NotFoundError)
    failure(lambda: messages("mock-fail-404").invoke(QUESTION), anthropic.NotFoundError)


def error_429():
    limited = chat("gpt-4o-mini", LIMITED_KEY)
    error = failure_of_limit(lambda: limited.invoke(QUESTION), openai.RateLimitError)
    positive_seconds(error.response.headers.get("retry-after"))


def cancel():
    for model in [chat(ENDLESS), messages(ENDLESS)]:
        chunks = model.stream(QUESTION)
        next(chunks)
        chunks.close()


run_checks(
    ["langchain-core", "langchain-openai", "langchain-anthropic"],
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

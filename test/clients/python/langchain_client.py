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
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings


def chat(model, key=KEY):
    return ChatOpenAI(model=model, api_key=key, base_url=f"{URL}/v1", max_retries=0)


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"18 degrees in {city}"


def unary():
    answer = chat("gpt-4o-mini").invoke(QUESTION)
    includes(answer.content, QUESTION)
    ok(answer.usage_metadata["total_tokens"] > 0, "expected usage")


def stream():
    includes("".join(chunk.content for chunk in chat("gpt-4o-mini").stream(QUESTION)), QUESTION)


def tools():
    bound = chat("gpt-4o-mini").bind_tools([get_weather])
    asked = bound.invoke(QUESTION)
    call = asked.tool_calls[0]
    equal(call["name"], "get_weather")
    told = [HumanMessage(QUESTION), asked, ToolMessage("18 degrees", tool_call_id=call["id"])]
    includes(bound.invoke(told).content, "18 degrees")


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


def error_400():
    failure(lambda: chat("mock-fail-400").invoke(QUESTION), openai.BadRequestError)


def error_404():
    failure(lambda: chat("mock-fail-404").invoke(QUESTION), openai.NotFoundError)


def error_429():
    limited = chat("gpt-4o-mini", LIMITED_KEY)
    error = failure_of_limit(lambda: limited.invoke(QUESTION), openai.RateLimitError)
    positive_seconds(error.response.headers.get("retry-after"))


def cancel():
    chunks = chat(ENDLESS).stream(QUESTION)
    next(chunks)
    chunks.close()


run_checks(
    ["langchain-core", "langchain-openai"],
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

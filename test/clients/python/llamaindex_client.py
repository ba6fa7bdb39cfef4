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
    run_checks,
)
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI, OpenAIResponses
from llama_index.llms.openai_like import OpenAILike

OPENAI = {"api_base": f"{URL}/v1", "max_retries": 0}
MESSAGES = [ChatMessage(role="user", content=QUESTION)]


def like(model, key=KEY):
    return OpenAILike(model=model, api_key=key, is_chat_model=True, is_function_calling_model=True, **OPENAI)


def messages(headers=None, key=KEY):
    return Anthropic(
        model="claude-sonnet-4-5", api_key=key, base_url=URL, max_retries=0, default_headers=headers or {}
    )


NATIVE = [
    OpenAI(model="gpt-4o-mini", api_key=KEY, **OPENAI),
    OpenAIResponses(model="gpt-4o-mini", api_key=KEY, **OPENAI),
    messages(),
]
# It knows the models of these APIs by name: another provider is named beside them.
ACROSS = [
    like("@anthropic/claude-sonnet-4-5"),
    like("@google/gemini-2.5-flash"),
    OpenAIResponses(
        model="gpt-4o-mini", api_key=KEY, default_headers={"x-gw-provider": "@anthropic"}, **OPENAI
    ),
    messages({"x-gw-provider": "@openai"}),
]


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"18 degrees in {city}"


WEATHER = FunctionTool.from_defaults(get_weather)


def unary():
    for model in NATIVE:
        answer = model.chat(MESSAGES)
        includes(answer.message.content, QUESTION)
        usage = answer.raw["usage"] if isinstance(answer.raw, dict) else answer.raw.usage
        ok(usage, "expected usage")


def stream():
    for model in NATIVE:
        includes("".join(piece.delta or "" for piece in model.stream_chat(MESSAGES)), QUESTION)


def tools():
    for model in NATIVE:
        use_tool(model)


def across():
    for model in ACROSS:
        includes("".join(piece.delta or "" for piece in model.stream_chat(MESSAGES)), QUESTION)
        use_tool(model)


def use_tool(model):
    answer = model.chat_with_tools([WEATHER], user_msg=QUESTION)
    [call] = model.get_tool_calls_from_response(answer)
    equal(call.tool_name, "get_weather")
    ok(isinstance(call.tool_kwargs["city"], str), "expected a city")
    result = ChatMessage(role="tool", content="18 degrees", additional_kwargs={"tool_call_id": call.tool_id})
    told = model.chat_with_tools([WEATHER], chat_history=[*MESSAGES, answer.message, result])
    includes(told.message.content, "18 degrees")


def embeddings():
    embedding = OpenAIEmbedding(model="text-embedding-3-small", api_key=KEY, **OPENAI)
    equal(len(embedding.get_text_embedding_batch(["one", "two"])), 2)


def error_401():
    failure(lambda: like("gpt-4o-mini", WRONG_KEY).chat(MESSAGES), openai.AuthenticationError)
    failure(lambda: messages(key=WRONG_KEY).chat(MESSAGES), anthropic.AuthenticationError)


def error_400():
    failure(lambda: like("mock-fail-400").chat(MESSAGES), openai.BadRequestError)


def error_404():
    failure(lambda: like("mock-fail-404").chat(MESSAGES), openai.NotFoundError)


def error_429():
    limited = like("gpt-4o-mini", LIMITED_KEY)
    failure(lambda: like("mock-fail-429").chat(MESSAGES), openai.RateLimitError)
    failure_of_limit(lambda: limited.chat(MESSAGES), openai.RateLimitError)


def cancel():
    pieces = like(ENDLESS).stream_chat(MESSAGES)
    next(pieces)
    pieces.close()


run_checks(
    [
        "llama-index-core",
        "llama-index-llms-openai",
        "llama-index-llms-openai-like",
        "llama-index-llms-anthropic",
        "llama-index-embeddings-openai",
    ],
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

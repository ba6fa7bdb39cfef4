import anthropic
import instructor
import openai
from checks import (
    KEY,
    LIMITED_KEY,
    QUESTION,
    SILENT,
    URL,
    WRONG_KEY,
    equal,
    failure,
    failure_of_limit,
    ok,
    run_checks,
)
from instructor import Mode
from instructor.core import InstructorRetryException
from pydantic import BaseModel

MESSAGES = [{"role": "user", "content": QUESTION}]


class Place(BaseModel):
    city: str
    population: int


def openai_of(mode, key=KEY):
    return instructor.from_openai(openai.OpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0), mode=mode)


def anthropic_of(mode, key=KEY):
    client = anthropic.Anthropic(base_url=URL, api_key=key, max_retries=0)
    return instructor.from_anthropic(client, mode=mode)


chats = openai_of(Mode.TOOLS)
schemas = openai_of(Mode.JSON_SCHEMA)
responses = openai_of(Mode.RESPONSES_TOOLS)
messages = anthropic_of(Mode.TOOLS)
CLAUDE = "@anthropic/claude-sonnet-4-5"
GEMINI = "@google/gemini-2.5-flash"
GPT = "@openai/gpt-4o-mini"


def asked(client, model):
    limit = {"max_tokens": 1_000} if client is messages else {}
    return {"model": model, "response_model": Place, "messages": MESSAGES, "max_retries": 1, **limit}


def whole(client, model):
    place, answer = client.create_with_completion(**asked(client, model))
    equal(place.city, "Paris")
    ok(answer.usage, "expected usage")


def in_pieces(client, model):
    places = list(client.create_partial(**asked(client, model)))
    equal(places[-1].city, "Paris")
    ok(places[-1].population is not None, "expected the last member")


def unary():
    whole(schemas, "gpt-4o-mini")


def stream():
    for client, model in [(chats, "gpt-4o-mini"), (responses, "gpt-4o-mini"), (messages, "claude-sonnet-4-5")]:
        in_pieces(client, model)


def tools():
    for client, model in [(chats, "gpt-4o-mini"), (responses, "gpt-4o-mini"), (messages, "claude-sonnet-4-5")]:
        whole(client, model)


def across():
    others = [(client, model) for client in [chats, schemas, responses] for model in [CLAUDE, GEMINI]]
    for client, model in [*others, (messages, GPT), (messages, GEMINI)]:
        whole(client, model)
        in_pieces(client, model)


def cause_of(client, model):
    return failure(lambda: client.create(**asked(client, model)), InstructorRetryException).__cause__


def error_401():
    cause = cause_of(openai_of(Mode.TOOLS, WRONG_KEY), "gpt-4o-mini")
    ok(isinstance(cause, openai.AuthenticationError), f"found {cause!r}")


def error_400():
    ok(isinstance(cause_of(chats, "mock-fail-400"), openai.BadRequestError), "expected a refused request")
    ok(isinstance(cause_of(messages, "mock-fail-400"), anthropic.BadRequestError), "expected a refused request")


def error_404():
    ok(isinstance(cause_of(chats, "mock-fail-404"), openai.NotFoundError), "expected what is not found")


def error_429():
    limited = openai_of(Mode.TOOLS, LIMITED_KEY)
    error = failure_of_limit(lambda: limited.create(**asked(limited, "gpt-4o-mini")), InstructorRetryException)
    ok(isinstance(error.__cause__, openai.RateLimitError), f"found {error.__cause__!r}")


def cancel():
    cause = failure(lambda: chats.create(**asked(chats, SILENT), timeout=0.5), InstructorRetryException).__cause__
    ok(isinstance(cause, openai.APITimeoutError), f"found {cause!r}")


run_checks(
    ["instructor"],
    {
        "unary": unary,
        "stream": stream,
        "tools": tools,
        "across": across,
        "error 401": error_401,
        "error 400": error_400,
        "error 404": error_404,
        "error 429": error_429,
        "cancel": cancel,
    },
)

from checks import URL
from google import genai
from google.genai import types
from google_checks import check_sdk

MODELS = ["gpt-4o-mini", "@anthropic/claude-sonnet-4-5", "@google/gemini-2.5-flash"]


def client_of(key):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=URL))


check_sdk(client_of, MODELS, "text-embedding-3-small", is_native=False)

from checks import URL
from google import genai
from google.genai import types
from google_checks import check_sdk


def client_of(key):
    # Gemini's own paths are proxied to the account that the header names.
    options = types.HttpOptions(base_url=f"{URL}/v1/proxy", headers={"x-gw-provider": "@google"})
    return genai.Client(api_key=key, http_options=options)


check_sdk(client_of, ["gemini-2.5-flash"], "gemini-embedding-001", is_native=True)

import openai
from checks import URL
from openai_checks import check_sdk

VERSION = "2024-10-21"

check_sdk(
    lambda key: openai.AzureOpenAI(azure_endpoint=URL, api_version=VERSION, api_key=key, max_retries=0)
)

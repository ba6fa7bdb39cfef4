import openai
from checks import URL
from openai_checks import check_sdk

check_sdk(lambda key: openai.OpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0))

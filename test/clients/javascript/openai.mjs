import OpenAI from 'openai';
import { url } from './checks.mjs';
import { checkSdk } from './openai-checks.mjs';

await checkSdk((apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, logLevel: 'off' }));

import { AzureOpenAI } from 'openai';
import { url } from './checks.mjs';
import { checkSdk } from './openai-checks.mjs';

const apiVersion = '2024-10-21';

await checkSdk((apiKey) => new AzureOpenAI({ endpoint: url, apiVersion, apiKey, maxRetries: 0, logLevel: 'off' }));

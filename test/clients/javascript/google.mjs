import { GoogleGenAI } from '@google/genai';
import { url } from './checks.mjs';
import { checkSdk } from './google-checks.mjs';

const headers = { 'x-gw-provider': '@google' };

// Gemini's own paths are proxied to the account that the header names.
await checkSdk({
  clientOf: (apiKey) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/v1/proxy`, headers } }),
  models: ['gemini-2.5-flash'],
  embedder: 'gemini-embedding-001',
  isNative: true,
});

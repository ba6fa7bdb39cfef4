import { GoogleGenAI } from '@google/genai';
import { url } from './checks.mjs';
import { checkSdk } from './google-checks.mjs';

await checkSdk({
  clientOf: (apiKey) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } }),
  models: ['gpt-4o-mini', '@anthropic/claude-sonnet-4-5', '@google/gemini-2.5-flash'],
  embedder: 'text-embedding-3-small',
  isNative: false,
});

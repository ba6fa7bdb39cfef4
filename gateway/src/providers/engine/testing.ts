/** A call and services for the tests beside the source; programs do not import it. */
import type { Call, Provider, ProviderServices } from '../contract.ts';
import { bearer } from './authorizers.ts';
import { createFields } from './fields.ts';

export const sampleProvider = (over: Partial<Provider> = {}): Provider => ({
  id: 'openai',
  baseUrl: 'https://api.example.com/v1',
  auth: bearer(),
  endpoints: {},
  proxy: { dataPlane: [], modelPlaces: [] },
  ...over,
});

export const sampleCall = (over: Partial<Call> = {}): Call => ({
  provider: 'openai',
  operation: 'POST /v1/chat/completions',
  endpoint: 'chatComplete',
  model: 'm1',
  strict: true,
  stream: false,
  params: {},
  fields: createFields(sampleProvider(), new Map([['api_key', 'K']])),
  header: () => undefined,
  path: '/chat/completions',
  query: '',
  route: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix.padEnd(prefix.length + length, '0'),
  ...over,
});

/** Services whose side calls fail the test. */
export const sampleServices = (over: Partial<ProviderServices> = {}): ProviderServices => ({
  fetch: () => Promise.reject(new Error('an unexpected side call')),
  cached: async (_key, make) => (await make()).value,
  env: () => undefined,
  now: () => 1_760_000_000_000,
  ...over,
});

import { unwrap } from '@gatehouse/test/kit';
import type { JsonObject, WireContext } from '../contract.ts';
import { toAnthropicBody } from './index.ts';

export const ctx: WireContext = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};

export const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

export const body = (params: JsonObject, model = ctx.model): JsonObject =>
  unwrap(toAnthropicBody(frozen(params), { ...ctx, model }));

export const USER = { role: 'user', content: 'hi' };

export const CACHE = { type: 'ephemeral' };

export const PNG = 'data:image/png;base64,iVBORw0=';

export const call = (id: string, args = '{}'): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

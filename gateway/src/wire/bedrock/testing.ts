import type { JsonObject, WireContext } from '../contract.ts';
import { type ConverseTarget, toConverseBody } from './index.ts';

export const ctx: WireContext = {
  provider: 'bedrock',
  model: 'amazon.nova-pro-v1:0',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};

export const CLAUDE: ConverseTarget = { model: 'anthropic.claude-3-5-sonnet-20240620-v1:0', family: 'anthropic' };

export const NOVA: ConverseTarget = { model: 'eu.amazon.nova-pro-v1:0', family: 'amazon' };

export const OTHER: ConverseTarget = { model: 'deepseek.r1-v1:0', family: 'other' };

export const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

export const body = (params: JsonObject, target = CLAUDE): JsonObject => toConverseBody(frozen(params), target);

export const CACHE = { type: 'ephemeral' };

export const POINT = { cachePoint: { type: 'default' } };

export const PNG = 'data:image/png;base64,iVBORw0=';

export const USER = { role: 'user', content: 'hi' };

export const HI = { role: 'user', content: [{ text: 'hi' }] };

export const call = (id: string, args = '{}'): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

export const toolResult = (toolUseId: string, ...content: object[]): object => ({ toolResult: { toolUseId, content } });

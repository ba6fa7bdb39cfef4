/** Requests for providers other than Ollama: without what only its servers do, which is named to the client. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';

/** Members beside `options` that say how a server runs a model. */
export const OF_SERVER = ['keep_alive', 'truncate', 'shift'] as const;
/** What an operator says of a server leaves its clients the rest. */
export const MERGED_PARAMS: readonly string[] = ['options'];

/** The parameter for a client that wants no limit, which a chat cannot say; a limit of a config wins. */
export const NO_LIMIT = 'num_predict';

/** -1 and -2 stand for no limit. */
export const isNoLimit = (value: unknown): boolean => typeof value === 'number' && value < 0;

type ForOthers = NonNullable<Door['forOthers']>;

const OF_SERVER_SET: ReadonlySet<string> = new Set(OF_SERVER);

/** A parameter that endpoints of Ollama's own API name. */
const OWN_PARAM = 'keep_alive';

/** Whether a member says something that an answer may lack. */
export const asks = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false && value !== 0;

function withoutOwn(params: JsonObject): JsonObject {
  const { options: _, ...rest } = params;
  const isOwn = (name: string): boolean => OF_SERVER_SET.has(name) || (name === NO_LIMIT && isNoLimit(rest[name]));
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !isOwn(name)));
}

/** Nobody else keeps a model that `keep_alive: 0` unloads. */
function leftOut(params: JsonObject): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(objectAt(params, 'options'), () => false, 'options.');
  dropped.addOthers(params, (name) => !OF_SERVER_SET.has(name) || (name === 'keep_alive' && !asks(params[name])));
  return dropped.names;
}

export const vectorsForOthers: ForOthers = { ownParam: OWN_PARAM, params: withoutOwn, leftOut };

/** What a chat says of thinking is its effort; not to think has none. */
export const chatForOthers: ForOthers = {
  ownParam: OWN_PARAM,
  leftOut,
  params: (given) => {
    const { think, messages, ...rest } = withoutOwn(given);
    return {
      ...rest,
      ...(think === false ? { think } : {}),
      messages: Array.isArray(messages) ? messages.map(plainMessage) : messages,
    };
  },
};

function plainMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { thinking: _, tool_name: _name, ...rest } = message;
  return rest;
}

/** A prompt that says nothing loads a model; others are asked with it. */
export const promptForOthers: ForOthers = {
  ...chatForOthers,
  params: (given) => {
    const params = chatForOthers.params(given);
    const { messages } = params;
    return Array.isArray(messages) && messages.length === 0
      ? { ...params, messages: [{ role: 'user', content: '' }] }
      : params;
  },
};

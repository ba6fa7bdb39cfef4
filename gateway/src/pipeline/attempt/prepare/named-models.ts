/** The models that a JSON body names, wherever upstreams are known to look for them. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';

export interface NamedModels {
  readonly named: ReadonlySet<string>;
  /** A member that may name a model in a way that cannot be checked. */
  readonly other: string | undefined;
}

/** Names without case and punctuation: some upstreams ignore both. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Members whose names end so name models: base, fallback, draft or judge models. */
const OF_MODEL = /models?(?:ids?|names?|arn|uri|version|package)?$|^(?:deployment|adapter)(?:id|name|source)$/;
/** Other members that name a model at the top of a body. */
const AT_THE_TOP: ReadonlySet<string> = new Set(['fallbacks', 'engine', 'deployment', 'preset', 'agentid']);

/** Whether a member or a parameter of that name may name a model. */
export const isModelName = (name: string): boolean => OF_MODEL.test(plain(name)) || AT_THE_TOP.has(plain(name));

/** Members with input of the model or data about the request: nothing inside them chooses a model. */
const CONTENT: ReadonlySet<string> = new Set([
  ...['messages', 'chathistory', 'message', 'content', 'contents', 'system', 'systeminstruction', 'input', 'inputs'],
  ...['instances', 'documents', 'toolresults', 'metadata', 'attributes', 'items', 'filters', 'labels', 'user'],
]);
/** Members with schemas of tools and answers. */
const SCHEMA = /(?:schema|examples?)$/;
const OF_TOOLS: ReadonlySet<string> = new Set(['tools', 'functions', 'toolconfig']);
const ARGUMENTS = /^parameter/;

/** `model` at the top, and every member below with such a name. */
export function modelsInBody(params: JsonObject): NamedModels {
  const walk = new Walk();
  for (const [name, value] of Object.entries(params)) {
    if (name === 'model') walk.take(value);
    else if (isModelName(name)) walk.other ??= name;
    // A prompt that the provider keeps may have a model of its own.
    else if (plain(name) === 'prompt' && isObject(value)) walk.other ??= `a stored ${name}`;
    else if (!CONTENT.has(plain(name))) walk.below(value, OF_TOOLS.has(plain(name)));
  }
  return walk;
}

class Walk implements NamedModels {
  readonly named = new Set<string>();
  other: string | undefined;

  take(value: unknown): void {
    if (typeof value === 'string') {
      if (value !== '') this.named.add(value);
    } else if (value !== undefined && value !== null) this.other ??= 'a model that is no text';
  }

  /** Recursion is bounded by the limits of a JSON body. */
  below(value: unknown, tools: boolean): void {
    if (Array.isArray(value)) {
      for (const item of value) this.below(item, tools);
      return;
    }
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const word = plain(name);
      if (OF_MODEL.test(word)) this.take(member);
      else if (!CONTENT.has(word) && !SCHEMA.test(word) && !(tools && ARGUMENTS.test(word))) this.below(member, tools);
    }
  }
}

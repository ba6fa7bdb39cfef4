/** What a call asked for, by its body and its URL. */
import { isObject } from '@gatehouse/crds';
import { HEADER_JSON_LIMITS, readJson } from '../../lib/json/index.ts';

type Params = Readonly<Record<string, unknown>>;

/** The JSON object of a body, which may be a text; undefined: it is none. */
export function paramsOf(body: unknown): Params | undefined {
  if (isObject(body)) return body;
  if (typeof body !== 'string' || !/^\s*\{/.test(body)) return undefined;
  try {
    const value = readJson(body, HEADER_JSON_LIMITS);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function modelOfBody(params: Params | undefined): string | undefined {
  const model = params?.['model'];
  return typeof model === 'string' && model !== '' ? model : undefined;
}

/** The model of URLs that name it: of Gemini, Bedrock and Azure OpenAI. */
export function modelOfUrl(url: string): string | undefined {
  const name = /\/(?:models?|deployments)\/([^/?#:]{1,256})/.exec(url)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
